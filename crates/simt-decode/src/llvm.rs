//! `llvm`: memory, aggregates, and the operations that it has in common with `arith` and `vector`.
//!
//! Pointers are to global (`!llvm.ptr<1>`) or shared memory (`!llvm.ptr<3>`); through a generic one nothing is accessed,
//! since which memory it is in is known when the kernel runs alone. Calls are those of the mathematics library and of
//! LLVM's intrinsics (see the file for these). Accesses of several numbers are as wide as their alignment allows.

use melior::ir::attribute::TypeAttribute;
use melior::ir::operation::OperationLike;
use mytriton_simt::program::{AtomicOp, Fence, Instr, Order, Space};
use mytriton_ssa::{BinaryOp, CmpPred, Scalar};
use mytriton_tile::name_of;

use crate::access::At;
use crate::attributes;
use crate::decoder::{Decoder, Op, Result};
use crate::types::{self, Ty};

/// Operations that are `arith`'s under other names.
const AS_ARITH: &[(&str, &str)] = &[
    ("add", "addi"),
    ("sub", "subi"),
    ("mul", "muli"),
    ("sdiv", "divsi"),
    ("udiv", "divui"),
    ("srem", "remsi"),
    ("urem", "remui"),
    ("and", "andi"),
    ("or", "ori"),
    ("xor", "xori"),
    ("shl", "shli"),
    ("ashr", "shrsi"),
    ("lshr", "shrui"),
    ("fadd", "addf"),
    ("fsub", "subf"),
    ("fmul", "mulf"),
    ("fdiv", "divf"),
    ("frem", "remf"),
    ("fneg", "negf"),
    ("icmp", "cmpi"),
    ("fcmp", "cmpf"),
    ("select", "select"),
    ("sext", "extsi"),
    ("zext", "extui"),
    ("trunc", "trunci"),
    ("fpext", "extf"),
    ("fptrunc", "truncf"),
    ("sitofp", "sitofp"),
    ("uitofp", "uitofp"),
    ("fptosi", "fptosi"),
    ("fptoui", "fptoui"),
];

/// What stands for an index that an operand gives.
const DYNAMIC: i64 = i32::MIN as i64;

impl Decoder<'_> {
    pub(crate) fn llvm(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        if let Some(row) = AS_ARITH.iter().find(|row| row.0 == name) {
            return self.arith(op, row.1);
        }
        match name {
            "mlir.constant" => self.llvm_constant(op)?,
            "mlir.undef" | "mlir.poison" | "mlir.zero" => self.define_zero(op)?,
            "mlir.addressof" => {
                let name =
                    attributes::symbol(op, "global_name").ok_or_else(|| self.bad_attribute(op, "global_name"))?;
                let address = self.global_address(op, &name)?;
                self.define_reg(op, 0, address)?;
            }
            "getelementptr" => self.element_pointer(op)?,
            "inttoptr" | "ptrtoint" => {
                let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
                self.elementwise(op, |this, [a]| this.resize(false, from, to, a))?;
            }
            "addrspacecast" => {
                let (from, to) = (self.operand_ty(op, 0)?, self.result_ty(op, 0)?);
                if from != to {
                    let message = "'llvm.addrspacecast' to or from a generic pointer: the executor keeps global and \
                                   shared memory apart, so keep pointers in the space that they are of";
                    return Err(self.error(op, message));
                }
                let words = self.operand(op, 0)?;
                self.define(op, 0, words)?;
            }
            "bitcast" => {
                let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
                let words = self.operand(op, 0)?;
                let words = self.bitcast(&words, from, to);
                self.define(op, 0, words)?;
            }
            "freeze" => {
                let words = self.operand(op, 0)?;
                self.define(op, 0, words)?;
            }
            "load" => self.llvm_load(op)?,
            "store" => self.llvm_store(op)?,
            "extractvalue" => {
                let (first, count) = self.part_of(op, 0)?;
                let words = self.operand(op, 0)?;
                self.define(op, 0, words[first..first + count].iter().copied().collect())?;
            }
            "insertvalue" => {
                let (first, count) = self.part_of(op, 0)?;
                let mut words = self.operand(op, 0)?;
                let value = self.operand(op, 1)?;
                words[first..first + count].copy_from_slice(&value);
                self.define(op, 0, words)?;
            }
            "extractelement" => {
                let shape = self.operand_ty(op, 0)?.shape().to_vec();
                let (source, at) = (self.operand(op, 0)?, self.operand_reg(op, 1)?);
                let at = self.position(at);
                let words = self.extracted(&source, &shape, &[at]);
                self.define(op, 0, words)?;
            }
            "insertelement" => {
                let shape = self.operand_ty(op, 0)?.shape().to_vec();
                let (into, value, at) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand_reg(op, 2)?);
                let at = self.position(at);
                let words = self.inserted(&value, &into, &shape, &[at]);
                self.define(op, 0, words)?;
            }
            "shufflevector" => {
                let mask = attributes::integers(op, "mask").ok_or_else(|| self.bad_attribute(op, "mask"))?;
                self.shuffle(op, &mask)?;
            }
            "call" => self.call(op)?,
            "call_intrinsic" => self.call_intrinsic(op)?,
            "inline_asm" => self.inline_asm(op)?,
            "atomicrmw" => self.llvm_atomic(op)?,
            "cmpxchg" => self.compare_exchange(op)?,
            "fence" => {
                self.emit(Instr::Fence(Fence::Memory));
            }
            other => match other.strip_prefix("intr.") {
                Some(intrinsic) => return self.intrinsic_operation(op, intrinsic),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    fn llvm_constant(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.result_ty(op, 0)?;
        if ty.scalar().is_none() {
            return Err(self.bad_type(op, self.result_type(op, 0)?));
        }
        let words = self.constant_value(op, "value")?;
        self.define(op, 0, words)
    }

    /// The space that an operand points to.
    fn space(&mut self, op: Op<'_, '_>, index: usize) -> Result<Space> {
        match &*self.operand_ty(op, index)? {
            Ty::Pointer(Some(space)) => Ok(*space),
            Ty::Pointer(None) => {
                let message = format!(
                    "'{}' through a generic pointer: the executor keeps global and shared memory apart, so use \
                     !llvm.ptr<1> or !llvm.ptr<3>",
                    name_of(op)
                );
                Err(self.error(op, message))
            }
            _ => Err(self.bad_type(op, self.operand_type(op, index)?)),
        }
    }

    /// The place that a pointer operand leads to, for accesses of a type.
    pub(crate) fn pointed(&mut self, op: Op<'_, '_>, index: usize, ty: &Ty) -> Result<At> {
        let stated = attributes::integer(op, "alignment").and_then(|alignment| u64::try_from(alignment).ok());
        let natural = ty.layout().map_or(1, |(_, alignment)| alignment);
        Ok(At {
            space: self.space(op, index)?,
            address: self.operand_reg(op, index)?,
            alignment: stated.filter(|alignment| *alignment > 0).unwrap_or(natural),
        })
    }

    /// How an access orders others, if it is atomic. A volatile one is relaxed (PTX ISA, "ld.volatile").
    fn order(&self, op: Op<'_, '_>, name: &str) -> Result<Option<Order>> {
        let order = |acquire, release| Some(Order { acquire, release });
        Ok(match attributes::integer(op, name) {
            None | Some(0) if op.has_attribute("volatile_") => order(false, false),
            None | Some(0) => None,
            Some(1 | 2) => order(false, false),
            Some(4) => order(true, false),
            Some(5) => order(false, true),
            Some(6 | 7) => order(true, true),
            _ => return Err(self.bad_attribute(op, name)),
        })
    }

    fn llvm_load(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.result_ty(op, 0)?;
        let at = self.pointed(op, 0, &ty)?;
        let words = match self.order(op, "ordering")? {
            Some(order) => self.atomic_load(op, &ty, at, order)?,
            None => self.load(op, &ty, at)?,
        };
        self.define(op, 0, words)
    }

    fn llvm_store(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.operand_ty(op, 0)?;
        let at = self.pointed(op, 1, &ty)?;
        let value = self.operand(op, 0)?;
        match self.order(op, "ordering")? {
            Some(order) => self.atomic_store(op, &ty, at, &value, order),
            None => self.store(op, &ty, at, &value),
        }
    }

    /// Kinds of `llvm.atomicrmw`, by number.
    fn llvm_atomic(&mut self, op: Op<'_, '_>) -> Result {
        let kind = match attributes::integer(op, "bin_op") {
            Some(0) => AtomicOp::Exchange,
            Some(1 | 11) => AtomicOp::Binary(BinaryOp::Add),
            Some(2 | 12) => AtomicOp::Binary(BinaryOp::Sub),
            Some(3) => AtomicOp::Binary(BinaryOp::And),
            Some(5) => AtomicOp::Binary(BinaryOp::Or),
            Some(6) => AtomicOp::Binary(BinaryOp::Xor),
            Some(7) => AtomicOp::Binary(BinaryOp::MaxS),
            Some(8) => AtomicOp::Binary(BinaryOp::MinS),
            Some(9) => AtomicOp::Binary(BinaryOp::MaxU),
            Some(10) => AtomicOp::Binary(BinaryOp::MinU),
            Some(13) => AtomicOp::Binary(BinaryOp::Max),
            Some(14) => AtomicOp::Binary(BinaryOp::Min),
            Some(19) => AtomicOp::Binary(BinaryOp::MaxNan),
            Some(20) => AtomicOp::Binary(BinaryOp::MinNan),
            _ => return Err(self.bad_attribute(op, "bin_op")),
        };
        let ty = self.operand_ty(op, 1)?;
        let at = self.pointed(op, 0, &ty)?;
        let (scalar, value) = (self.operand_scalar(op, 1)?, self.operand_reg(op, 1)?);
        let order = self
            .order(op, "ordering")?
            .ok_or_else(|| self.bad_attribute(op, "ordering"))?;
        let old = self.atomic(at, kind, scalar, value, order);
        self.define_reg(op, 0, old)
    }

    fn compare_exchange(&mut self, op: Op<'_, '_>) -> Result {
        let ty = self.operand_ty(op, 1)?;
        let at = self.pointed(op, 0, &ty)?;
        let scalar = self.operand_scalar(op, 1)?;
        let (expected, value) = (self.operand_reg(op, 1)?, self.operand_reg(op, 2)?);
        let order = self.order(op, "success_ordering")?;
        let order = order.ok_or_else(|| self.bad_attribute(op, "success_ordering"))?;
        let dst = self.fresh();
        self.emit(Instr::CompareExchange {
            space: at.space,
            bytes: scalar.bytes() as u8,
            dst,
            address: at.address,
            expected,
            value,
            order,
        });
        let succeeded = self.cmp(CmpPred::Eq, scalar, dst, expected);
        self.define(op, 0, smallvec::smallvec![dst, succeeded])
    }

    /// The registers of an aggregate's part that `position` names: the first and how many.
    fn part_of(&mut self, op: Op<'_, '_>, operand: usize) -> Result<(usize, usize)> {
        let position = attributes::integers(op, "position").ok_or_else(|| self.bad_attribute(op, "position"))?;
        let whole = self.operand_ty(op, operand)?;
        let (mut ty, mut first) = (&*whole, 0);
        for at in position {
            let part = usize::try_from(at).ok().and_then(|at| ty.part(at));
            let (inner, before) = part.ok_or_else(|| self.bad_attribute(op, "position"))?;
            (ty, first) = (inner, first + before);
        }
        Ok((first, ty.registers()))
    }

    /// Address arithmetic: the first index counts elements, the others lead into them.
    fn element_pointer(&mut self, op: Op<'_, '_>) -> Result {
        if self.operand_ty(op, 0)?.registers() != 1 || self.result_ty(op, 0)?.registers() != 1 {
            return Err(self.bad_type(op, self.result_type(op, 0)?));
        }
        let element = op
            .attribute("elem_type")
            .ok()
            .and_then(|a| TypeAttribute::try_from(a).ok());
        let element = element.ok_or_else(|| self.bad_attribute(op, "elem_type"))?.value();
        let mut ty = types::read(element).map_err(|message| self.error(op, message))?;
        let unknown_size = |this: &Self| this.error(op, format!("the size of {element} in memory is not known"));
        let indices = attributes::integers(op, "rawConstantIndices");
        let indices = indices.ok_or_else(|| self.bad_attribute(op, "rawConstantIndices"))?;
        let mut address = self.operand_reg(op, 0)?;
        let mut next = 1;
        for (number, index) in indices.into_iter().enumerate() {
            let index = if index == DYNAMIC {
                next += 1;
                let (reg, from) = (self.operand_reg(op, next - 1)?, self.operand_scalar(op, next - 1)?);
                match self.known(reg) {
                    Some(bits) => self.constant(signed(bits, from) as u64),
                    None => self.resize(true, from, Scalar::I64, reg),
                }
            } else {
                self.constant(index as u64)
            };
            if number > 0 {
                // Into an aggregate.
                let inner = match &ty {
                    Ty::Struct { fields, .. } => {
                        let field = self.known(index).map(|at| at as usize).filter(|&at| at < fields.len());
                        let field = field.ok_or_else(|| self.bad_attribute(op, "rawConstantIndices"))?;
                        let offset = ty.field_offset(field).ok_or_else(|| unknown_size(self))?;
                        let offset = self.constant(offset);
                        address = self.add_offset(address, offset);
                        ty = fields[field].clone();
                        continue;
                    }
                    Ty::Array { element, .. } | Ty::Vector { element, .. } => (**element).clone(),
                    _ => return Err(self.bad_attribute(op, "rawConstantIndices")),
                };
                ty = inner;
            }
            let (size, _) = ty.layout().ok_or_else(|| unknown_size(self))?;
            let size = self.constant(size);
            let offset = self.scale(index, size);
            address = self.add_offset(address, offset);
        }
        self.define_reg(op, 0, address)
    }
}

/// A number's value as a signed one.
fn signed(bits: u64, scalar: Scalar) -> i64 {
    let unused = 64 - scalar.bits();
    ((bits << unused) as i64) >> unused
}
