//! The launch of a generated kernel: what is in its buffers, and the facts about its arguments.

use mytriton_ssa::{Const, Elem, Scalar};

use super::Generator;
use crate::case::{Arg, BUFFER_ALIGNMENT, Buffer, Case};
use crate::tree::Val;

/// A buffer of the launch, as far as it is known.
pub(super) struct Memory {
    elem: Scalar,
    content: Content,
    /// Elements in front of the one that arguments point to.
    skip: usize,
    /// Elements from there on.
    len: usize,
}

/// What is in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Anything.
    Any,
    /// Numbers from 0, below this one.
    Below(usize),
    /// Permutations of so many numbers from 0 on, one after another.
    Permutations(usize),
}

/// An argument of the launch.
#[derive(Clone, Copy)]
pub(super) enum Planned {
    /// A pointer to a buffer, by its number.
    Pointer(usize),
    /// A number.
    Scalar(Const),
}

impl Generator {
    pub(super) fn new_memory(&mut self, elem: Scalar, content: Content) -> usize {
        let skip = if self.random.one_in(4) {
            self.random.between(1, 8)
        } else {
            0
        };
        self.buffers.push(Memory {
            elem,
            content,
            skip,
            len: 0,
        });
        self.buffers.len() - 1
    }

    /// A new parameter that points to a buffer.
    pub(super) fn pointer_param(&mut self, buffer: usize) -> Val {
        let name = format!("p{}", self.args.len());
        self.args.push(Planned::Pointer(buffer));
        let elem = self.buffers[buffer].elem;
        self.tree.param(name, Elem::Ptr(elem))
    }

    /// Elements that a buffer has so far.
    pub(super) fn length(&self, buffer: usize) -> usize {
        self.buffers[buffer].len
    }

    /// Makes a buffer at least so long.
    pub(super) fn demand(&mut self, buffer: usize, len: usize) {
        let memory = &mut self.buffers[buffer];
        memory.len = memory.len.max(len);
    }

    /// The finished case.
    pub(super) fn finish(mut self) -> Case {
        self.tree.body = self.open.pop().expect("the body is open");
        debug_assert!(self.open.is_empty());
        let args: Vec<Arg> = (self.args.iter())
            .map(|arg| match *arg {
                Planned::Pointer(buffer) => Arg::Pointer {
                    buffer,
                    offset: self.buffers[buffer].skip,
                },
                Planned::Scalar(value) => Arg::Scalar(value),
            })
            .collect();
        self.state_facts(&args);
        let plans = std::mem::take(&mut self.buffers);
        let mut buffers: Vec<Buffer> = plans.iter().map(|plan| self.fill(plan)).collect();
        for output in &self.outputs {
            buffers[output.buffer].rule = output.rule;
        }
        let num_warps = self.random.pick(&[1, 1, 2, 4, 4, 8]);
        Case {
            kernel: self.tree.kernel().expect("values are defined before they are used"),
            grid: self.grid,
            num_warps,
            buffers,
            args,
        }
    }

    /// Some of the facts that are true of the arguments.
    fn state_facts(&mut self, args: &[Arg]) {
        for (index, arg) in args.iter().enumerate() {
            let number = match *arg {
                Arg::Pointer { buffer, offset } => offset as i64 * i64::from(self.buffers[buffer].elem.bytes()),
                Arg::Scalar(value) if value.scalar() == Scalar::I1 => continue,
                Arg::Scalar(value) => match value.as_signed() {
                    Some(number) => number,
                    None => continue,
                },
            };
            let most = number.trailing_zeros().min(BUFFER_ALIGNMENT.trailing_zeros()) as usize;
            let power = if self.random.one_in(2) {
                most
            } else {
                self.random.below(most + 1)
            };
            self.tree.params[index].divisibility = 1 << power;
        }
    }

    fn fill(&mut self, plan: &Memory) -> Buffer {
        let len = plan.len.max(1);
        let random = &mut self.random;
        let mut bits: Vec<u64> = (0..plan.skip).map(|_| random.in_memory(plan.elem)).collect();
        match plan.content {
            Content::Any => bits.extend((0..len).map(|_| random.in_memory(plan.elem))),
            Content::Below(end) => bits.extend((0..len).map(|_| random.below(end) as u64)),
            Content::Permutations(end) => {
                for _ in 0..len.div_ceil(end) {
                    bits.extend(random.permutation(end).into_iter().map(|i| i as u64));
                }
            }
        }
        Buffer::of_bits(plan.elem, bits)
    }
}
