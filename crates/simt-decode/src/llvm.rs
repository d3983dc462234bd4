//! `llvm`: memory, aggregates, and the operations that it has in common with `arith` and `vector`.
//!
//! Pointers are to global (`!llvm.ptr<1>`) or shared memory (`!llvm.ptr<3>`); through a generic one nothing is accessed,
//! since which memory it is in is known when the kernel runs alone. Calls are those of the mathematics library and of
//! LLVM's intrinsics (see the file for these). Accesses of several numbers are as wide as their alignment allows.

use melior::ir::Attribute;
use mytriton_simt::program::{AtomicOp, Fence, Instr, Order, Space};
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Scalar};
use mytriton_tile::name_of;
use mytriton_tile::ops::arith::CmpFPredicate;
use mytriton_tile::ops::llvm::{
    self, AtomicBinOp, AtomicCmpXchgOp, AtomicOrdering, AtomicRMWOp, ExtractValueOp, FCmpPredicate, GEPOp,
    ICmpPredicate, InsertValueOp, LoadOp, StoreOp,
};

use crate::access::At;
use crate::decoder::{Decoder, Op, Result};
use crate::types::{self, Ty};

/// What stands for an index that an operand gives.
const DYNAMIC: i32 = i32::MIN;

impl Decoder<'_> {
    pub(crate) fn llvm(&mut self, view: llvm::Op<'_, '_>) -> Result {
        use llvm::Op as L;
        let op = view.operation();
        match view {
            L::Add(_) | L::FAdd(_) => self.of_two(op, BinaryOp::Add),
            L::Sub(_) | L::FSub(_) => self.of_two(op, BinaryOp::Sub),
            L::Mul(_) | L::FMul(_) => self.of_two(op, BinaryOp::Mul),
            L::SDiv(_) => self.of_two(op, BinaryOp::DivS),
            L::UDiv(_) => self.of_two(op, BinaryOp::DivU),
            L::FDiv(_) => self.of_two(op, BinaryOp::DivRn),
            L::SRem(_) => self.of_two(op, BinaryOp::RemS),
            L::URem(_) => self.of_two(op, BinaryOp::RemU),
            L::FRem(_) => self.of_two(op, BinaryOp::Rem),
            L::And(_) => self.of_two(op, BinaryOp::And),
            L::Or(_) => self.of_two(op, BinaryOp::Or),
            L::XOr(_) => self.of_two(op, BinaryOp::Xor),
            L::Shl(_) => self.of_two(op, BinaryOp::Shl),
            L::AShr(_) => self.of_two(op, BinaryOp::ShrS),
            L::LShr(_) => self.of_two(op, BinaryOp::ShrU),
            L::FNeg(_) => self.negate(op),
            L::ICmp(view) => self.cmpi(op, compared(view.predicate())),
            L::FCmp(view) => self.cmpf(op, compared_floats(view.predicate())),
            L::Select(_) => self.arith_select(op),
            L::SExt(_) => self.resized(op, true),
            L::ZExt(_) | L::Trunc(_) | L::IntToPtr(_) | L::PtrToInt(_) => self.resized(op, false),
            L::FPExt(_) => self.convert(op, CastKind::FExt),
            L::FPTrunc(_) => self.convert(op, CastKind::FTrunc),
            L::SIToFP(_) => self.convert(op, CastKind::SToF),
            L::UIToFP(_) => self.convert(op, CastKind::UToF),
            L::FPToSI(_) => self.convert(op, CastKind::FToS),
            L::FPToUI(_) => self.convert(op, CastKind::FToU),
            L::Bitcast(_) => self.same_bits(op),
            L::Freeze(_) => self.renamed(op),
            L::Undef(_) | L::Poison(_) | L::Zero(_) => self.define_zero(op),
            L::Constant(view) => self.llvm_constant(op, view.value()),
            L::AddressOf(view) => self.address_of_global(op, view.global_name()),
            L::GEP(view) => self.element_pointer(view),
            L::AddrSpaceCast(_) => self.space_cast(op),
            L::Load(view) => self.llvm_load(view),
            L::Store(view) => self.llvm_store(view),
            L::ExtractValue(view) => self.extract_value(view),
            L::InsertValue(view) => self.insert_value(view),
            L::ExtractElement(_) => self.extract_element(op),
            L::InsertElement(_) => self.insert_element(op),
            L::ShuffleVector(view) => self.shuffle_vector(op, &view.mask()),
            L::Call(view) => self.call(view),
            L::CallIntrinsic(view) => self.call_intrinsic(view),
            L::InlineAsm(view) => self.inline_asm(view),
            L::AtomicRMW(view) => self.llvm_atomic(view),
            L::AtomicCmpXchg(view) => self.compare_exchange(view),
            L::Fence(_) => {
                self.emit(Instr::Fence(Fence::Memory));
                Ok(())
            }
            L::Assume(_) => self.assume(op),
            L::Abs(_) | L::FCeil(_) | L::CopySign(_) | L::Cos(_) | L::CountLeadingZeros(_) | L::CtPop(_) => {
                self.intrinsic_operation(op)
            }
            L::CountTrailingZeros(_) | L::Exp(_) | L::Exp2(_) | L::FAbs(_) | L::FFloor(_) | L::FMA(_) | L::Log(_) => {
                self.intrinsic_operation(op)
            }
            L::Log10(_)
            | L::Log2(_)
            | L::Maximum(_)
            | L::MaxNum(_)
            | L::Minimum(_)
            | L::MinNum(_)
            | L::Nearbyint(_) => self.intrinsic_operation(op),
            L::Pow(_) | L::Rint(_) | L::Round(_) | L::RoundEven(_) | L::Sin(_) | L::SMax(_) | L::SMin(_) => {
                self.intrinsic_operation(op)
            }
            L::Sqrt(_) | L::Tan(_) | L::Tanh(_) | L::FTrunc(_) | L::UMax(_) | L::UMin(_) => {
                self.intrinsic_operation(op)
            }
            L::Br(_) | L::CondBr(_) | L::Switch(_) | L::LLVMFunc(_) | L::Global(_) => Err(self.unknown(op)),
        }
    }

    fn address_of_global(&mut self, op: Op<'_, '_>, global: &str) -> Result {
        let address = self.global_address(op, global)?;
        self.define_reg(op, 0, address)
    }

    fn shuffle_vector(&mut self, op: Op<'_, '_>, mask: &[i32]) -> Result {
        let mask: Vec<_> = mask.iter().copied().map(i64::from).collect();
        self.shuffle(op, &mask)
    }

    fn llvm_constant(&mut self, op: Op<'_, '_>, value: Attribute<'_>) -> Result {
        let ty = self.result_ty(op, 0)?;
        if ty.scalar().is_none() {
            return Err(self.bad_type(op, self.result_type(op, 0)?));
        }
        self.define_constant(op, "value", value)
    }

    /// The same bits as numbers of another width.
    pub(crate) fn same_bits(&mut self, op: Op<'_, '_>) -> Result {
        let (from, to) = (self.operand_scalar(op, 0)?, self.result_scalar(op, 0)?);
        let words = self.operand(op, 0)?;
        let words = self.bitcast(&words, from, to);
        self.define(op, 0, words)
    }

    fn space_cast(&mut self, op: Op<'_, '_>) -> Result {
        let (from, to) = (self.operand_ty(op, 0)?, self.result_ty(op, 0)?);
        if from != to {
            let message = "'llvm.addrspacecast' to or from a generic pointer: the executor keeps global and shared \
                           memory apart, so keep pointers in the space that they are of";
            return Err(self.error(op, message));
        }
        self.renamed(op)
    }

    fn extract_value(&mut self, view: ExtractValueOp<'_, '_>) -> Result {
        let op = view.operation();
        let (first, count) = self.part_of(op, &view.position())?;
        let words = self.operand(op, 0)?;
        self.define(op, 0, words[first..first + count].iter().copied().collect())
    }

    fn insert_value(&mut self, view: InsertValueOp<'_, '_>) -> Result {
        let op = view.operation();
        let (first, count) = self.part_of(op, &view.position())?;
        let mut words = self.operand(op, 0)?;
        let value = self.operand(op, 1)?;
        words[first..first + count].copy_from_slice(&value);
        self.define(op, 0, words)
    }

    fn extract_element(&mut self, op: Op<'_, '_>) -> Result {
        let shape = self.operand_ty(op, 0)?.shape().to_vec();
        let (source, at) = (self.operand(op, 0)?, self.operand_reg(op, 1)?);
        let at = self.position(at);
        let words = self.extracted(&source, &shape, &[at]);
        self.define(op, 0, words)
    }

    fn insert_element(&mut self, op: Op<'_, '_>) -> Result {
        let shape = self.operand_ty(op, 0)?.shape().to_vec();
        let (into, value, at) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand_reg(op, 2)?);
        let at = self.position(at);
        let words = self.inserted(&value, &into, &shape, &[at]);
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

    /// The place that a pointer operand leads to, for accesses of a type at the alignment that is stated, or the type's.
    pub(crate) fn pointed(&mut self, op: Op<'_, '_>, index: usize, ty: &Ty, stated: Option<i64>) -> Result<At> {
        let natural = ty.layout().map_or(1, |(_, alignment)| alignment);
        Ok(At {
            space: self.space(op, index)?,
            address: self.operand_reg(op, index)?,
            alignment: alignment(stated).unwrap_or(natural),
        })
    }

    fn llvm_load(&mut self, view: LoadOp<'_, '_>) -> Result {
        let op = view.operation();
        let ty = self.result_ty(op, 0)?;
        let at = self.pointed(op, 0, &ty, view.alignment())?;
        let words = match order(view.ordering(), view.volatile_()) {
            Some(order) => self.atomic_load(op, &ty, at, order)?,
            None => self.load(op, &ty, at)?,
        };
        self.define(op, 0, words)
    }

    fn llvm_store(&mut self, view: StoreOp<'_, '_>) -> Result {
        let op = view.operation();
        let ty = self.operand_ty(op, 0)?;
        let at = self.pointed(op, 1, &ty, view.alignment())?;
        let value = self.operand(op, 0)?;
        match order(view.ordering(), view.volatile_()) {
            Some(order) => self.atomic_store(op, &ty, at, &value, order),
            None => self.store(op, &ty, at, &value),
        }
    }

    fn llvm_atomic(&mut self, view: AtomicRMWOp<'_, '_>) -> Result {
        let op = view.operation();
        let kind = match view.bin_op() {
            AtomicBinOp::Xchg => AtomicOp::Exchange,
            AtomicBinOp::Add | AtomicBinOp::Fadd => AtomicOp::Binary(BinaryOp::Add),
            AtomicBinOp::Sub | AtomicBinOp::Fsub => AtomicOp::Binary(BinaryOp::Sub),
            AtomicBinOp::And => AtomicOp::Binary(BinaryOp::And),
            AtomicBinOp::Or => AtomicOp::Binary(BinaryOp::Or),
            AtomicBinOp::Xor => AtomicOp::Binary(BinaryOp::Xor),
            AtomicBinOp::Max => AtomicOp::Binary(BinaryOp::MaxS),
            AtomicBinOp::Min => AtomicOp::Binary(BinaryOp::MinS),
            AtomicBinOp::Umax => AtomicOp::Binary(BinaryOp::MaxU),
            AtomicBinOp::Umin => AtomicOp::Binary(BinaryOp::MinU),
            AtomicBinOp::Fmax => AtomicOp::Binary(BinaryOp::Max),
            AtomicBinOp::Fmin => AtomicOp::Binary(BinaryOp::Min),
            AtomicBinOp::Fmaximum => AtomicOp::Binary(BinaryOp::MaxNan),
            AtomicBinOp::Fminimum => AtomicOp::Binary(BinaryOp::MinNan),
            AtomicBinOp::Nand
            | AtomicBinOp::UincWrap
            | AtomicBinOp::UdecWrap
            | AtomicBinOp::UsubCond
            | AtomicBinOp::UsubSat => {
                return Err(self.bad_attribute(op, "bin_op"));
            }
        };
        let ty = self.operand_ty(op, 1)?;
        let at = self.pointed(op, 0, &ty, view.alignment())?;
        let (scalar, value) = (self.operand_scalar(op, 1)?, self.operand_reg(op, 1)?);
        let order = order(Some(view.ordering()), view.volatile_());
        let order = order.ok_or_else(|| self.bad_attribute(op, "ordering"))?;
        let old = self.atomic(at, kind, scalar, value, order);
        self.define_reg(op, 0, old)
    }

    fn compare_exchange(&mut self, view: AtomicCmpXchgOp<'_, '_>) -> Result {
        let op = view.operation();
        let ty = self.operand_ty(op, 1)?;
        let at = self.pointed(op, 0, &ty, view.alignment())?;
        let scalar = self.operand_scalar(op, 1)?;
        let (expected, value) = (self.operand_reg(op, 1)?, self.operand_reg(op, 2)?);
        let order = order(Some(view.success_ordering()), view.volatile_());
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

    /// The registers of the part of the first operand, an aggregate, at a position: the first and how many.
    fn part_of(&mut self, op: Op<'_, '_>, position: &[i64]) -> Result<(usize, usize)> {
        let whole = self.operand_ty(op, 0)?;
        let (mut ty, mut first) = (&*whole, 0);
        for &at in position {
            let part = usize::try_from(at).ok().and_then(|at| ty.part(at));
            let (inner, before) = part.ok_or_else(|| self.bad_attribute(op, "position"))?;
            (ty, first) = (inner, first + before);
        }
        Ok((first, ty.registers()))
    }

    /// Address arithmetic: the first index counts elements, the others lead into them.
    fn element_pointer(&mut self, view: GEPOp<'_, '_>) -> Result {
        let op = view.operation();
        if self.operand_ty(op, 0)?.registers() != 1 || self.result_ty(op, 0)?.registers() != 1 {
            return Err(self.bad_type(op, self.result_type(op, 0)?));
        }
        let element = view.elem_type();
        let mut ty = types::read(element).map_err(|message| self.error(op, message))?;
        let unknown_size = |this: &Self| this.error(op, format!("the size of {element} in memory is not known"));
        let mut address = self.operand_reg(op, 0)?;
        let mut next = 1;
        for (number, index) in view.raw_constant_indices().into_iter().enumerate() {
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

/// How an access orders others, if it is atomic. A volatile one is relaxed (PTX ISA, "ld.volatile").
fn order(ordering: Option<AtomicOrdering>, volatile: bool) -> Option<Order> {
    let order = |acquire, release| Some(Order { acquire, release });
    match ordering.unwrap_or(AtomicOrdering::NotAtomic) {
        AtomicOrdering::NotAtomic if volatile => order(false, false),
        AtomicOrdering::NotAtomic => None,
        AtomicOrdering::Unordered | AtomicOrdering::Monotonic => order(false, false),
        AtomicOrdering::Acquire => order(true, false),
        AtomicOrdering::Release => order(false, true),
        AtomicOrdering::AcqRel | AtomicOrdering::SeqCst => order(true, true),
    }
}

/// The alignment that an operation states.
pub(crate) fn alignment(stated: Option<i64>) -> Option<u64> {
    stated
        .and_then(|alignment| u64::try_from(alignment).ok())
        .filter(|alignment| *alignment > 0)
}

/// The comparison that a predicate of `llvm.icmp` asks for.
fn compared(pred: ICmpPredicate) -> CmpPred {
    match pred {
        ICmpPredicate::Eq => CmpPred::Eq,
        ICmpPredicate::Ne => CmpPred::Ne,
        ICmpPredicate::Slt => CmpPred::Lt,
        ICmpPredicate::Sle => CmpPred::Le,
        ICmpPredicate::Sgt => CmpPred::Gt,
        ICmpPredicate::Sge => CmpPred::Ge,
        ICmpPredicate::Ult => CmpPred::LtU,
        ICmpPredicate::Ule => CmpPred::LeU,
        ICmpPredicate::Ugt => CmpPred::GtU,
        ICmpPredicate::Uge => CmpPred::GeU,
    }
}

/// The predicate of `arith.cmpf` that means the same.
fn compared_floats(pred: FCmpPredicate) -> CmpFPredicate {
    match pred {
        FCmpPredicate::False => CmpFPredicate::AlwaysFalse,
        FCmpPredicate::Oeq => CmpFPredicate::Oeq,
        FCmpPredicate::Ogt => CmpFPredicate::Ogt,
        FCmpPredicate::Oge => CmpFPredicate::Oge,
        FCmpPredicate::Olt => CmpFPredicate::Olt,
        FCmpPredicate::Ole => CmpFPredicate::Ole,
        FCmpPredicate::One => CmpFPredicate::One,
        FCmpPredicate::Ord => CmpFPredicate::Ord,
        FCmpPredicate::Ueq => CmpFPredicate::Ueq,
        FCmpPredicate::Ugt => CmpFPredicate::Ugt,
        FCmpPredicate::Uge => CmpFPredicate::Uge,
        FCmpPredicate::Ult => CmpFPredicate::Ult,
        FCmpPredicate::Ule => CmpFPredicate::Ule,
        FCmpPredicate::Une => CmpFPredicate::Une,
        FCmpPredicate::Uno => CmpFPredicate::Uno,
        FCmpPredicate::True => CmpFPredicate::AlwaysTrue,
    }
}

/// A number's value as a signed one.
fn signed(bits: u64, scalar: Scalar) -> i64 {
    let unused = 64 - scalar.bits();
    ((bits << unused) as i64) >> unused
}
