//! Puts names and places to faults.

use mytriton_ssa::{Effects, Elem, Kernel, OpData, OpId, OpKind, Scalar};

use crate::access::{BufferBounds, RawFault};
use crate::error::{Access, Fault, ProgramError};
use crate::launch::{Argument, index_of};
use crate::machine::{Machine, Trap};
use crate::memory::Memory;
use crate::shape::unravel;
use crate::tile::{Poison, Why};

/// What is known of the launch in which a program faulted.
pub(crate) struct Reporter<'a> {
    pub kernel: &'a Kernel,
    pub args: &'a [Argument],
    pub memory: &'a Memory,
    pub grid: [u32; 3],
    pub machine: &'a Machine<'a>,
}

impl Reporter<'_> {
    /// The error for the user.
    pub fn report(&self, trap: Trap, program: [u32; 3]) -> ProgramError {
        let data = self.kernel.op(trap.op);
        let (mut op, mut element) = (trap.op, trap.element);
        let fault = match trap.fault {
            RawFault::Undefined { role, code } => {
                let poison = Poison::from_code(code);
                // Codes are made of ids of this kernel's operations.
                let origin = self
                    .kernel
                    .ops_in_order()
                    .into_iter()
                    .find(|id| id.index() == poison.op);
                let origin = origin.unwrap_or(trap.op);
                match poison.why {
                    Why::MaskedOff => Fault::Undefined {
                        role,
                        load: self.describe(origin),
                    },
                    // The mistake is at the index.
                    Why::OutsideOfAxis => {
                        (op, element) = (origin, self.machine.find_poison(origin, Why::OutsideOfAxis));
                        let gather = self.kernel.op(origin);
                        Fault::GatherIndex {
                            axis: match gather.kind {
                                OpKind::Gather { axis } => axis,
                                ref other => unreachable!("'{}' chooses no element by an index", other.name()),
                            },
                            tile: self.kernel.ty(gather.operands[0]),
                            role,
                            used_by: self.describe(trap.op),
                        }
                    }
                    // The mistake is at the division.
                    why => {
                        (op, element) = (origin, self.machine.find_poison(origin, why));
                        Fault::Division {
                            overflow: why == Why::Overflow,
                            role,
                            used_by: self.describe(trap.op),
                        }
                    }
                }
            }
            RawFault::OutOfBounds { address, buffer } => {
                let offset = address.wrapping_sub(buffer.base) as i64;
                let (access, elem) = accessed(self.kernel, data);
                Fault::OutOfBounds {
                    access,
                    elem,
                    index: offset.div_euclid(i64::from(elem.bytes())),
                    offset,
                    len: buffer.len,
                    buffer: self.name(buffer),
                    masked: data.operands.len() > if access == Access::Write { 2 } else { 1 },
                }
            }
            RawFault::NoBuffer { address } => {
                let (access, elem) = accessed(self.kernel, data);
                Fault::NoBuffer { access, elem, address }
            }
            RawFault::Misaligned { address, buffer } => {
                let (access, elem) = accessed(self.kernel, data);
                Fault::Misaligned {
                    access,
                    elem,
                    offset: address.wrapping_sub(buffer.base) as i64,
                    buffer: self.name(buffer),
                }
            }
            RawFault::Race { address, conflict } => {
                let bounds = self.memory.find(address).map(BufferBounds::of);
                let offset = bounds.as_ref().map_or(0, |b| address - b.base) + conflict.byte;
                Fault::Race {
                    access: accessed(self.kernel, data).0,
                    offset,
                    buffer: bounds.map(|b| self.name(b)).unwrap_or_default(),
                    other_access: conflict.other_access,
                    other: index_of(conflict.other, self.grid),
                }
            }
            RawFault::Step(step) => Fault::Step(step),
            RawFault::StepLimit(limit) => Fault::StepLimit(limit),
        };
        let data = self.kernel.op(op);
        let place = self.kernel.describe_loc(data.loc);
        // A gather works on the elements of its index.
        let shaped = usize::from(matches!(data.kind, OpKind::Gather { .. }));
        let shape = data.operands.get(shaped).map(|&v| self.kernel.ty(v).shape);
        let element = element.zip(shape.filter(|shape| !shape.is_scalar()));
        ProgramError {
            kernel: self.kernel.name.clone(),
            loc: data.loc,
            op: match place {
                Some(_) => data.kind.name().to_owned(),
                None => self.kernel.describe_op(op),
            },
            place,
            program,
            element: element.map(|(element, shape)| unravel(element, shape.dims())),
            fault,
        }
    }

    /// An operation as a message names it.
    fn describe(&self, op: OpId) -> String {
        let data = self.kernel.op(op);
        match self.kernel.describe_loc(data.loc) {
            Some(place) => format!("'{}' at {place}", data.kind.name()),
            None => format!("'{}'", self.kernel.describe_op(op)),
        }
    }

    /// A buffer's own name, else that of the first parameter that got it.
    fn name(&self, buffer: BufferBounds) -> String {
        if !buffer.name.is_empty() {
            return buffer.name;
        }
        let passed = |arg: &Argument| match arg {
            Argument::Buffer { buffer: id, .. } => self.memory.address(*id) == Ok(buffer.base),
            Argument::Address(address) => self.memory.find(*address).is_some_and(|b| b.base == buffer.base),
            Argument::Scalar(_) => false,
        };
        let index = self.args.iter().position(passed);
        index.map_or_else(String::new, |i| self.kernel.params()[i].name.clone())
    }
}

/// What a load or store does, and to elements of which type.
fn accessed(kernel: &Kernel, op: &OpData) -> (Access, Scalar) {
    let access = match op.kind.effects() {
        Effects::Writes => Access::Write,
        Effects::Reads | Effects::None | Effects::OfRegions => Access::Read,
    };
    match kernel.ty(op.operands[0]).elem {
        Elem::Ptr(pointee) => (access, pointee),
        Elem::Scalar(scalar) => (access, scalar),
    }
}
