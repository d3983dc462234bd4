//! `memref`: strided address arithmetic as instructions. Memory in a thread (`alloca`, private space) is not known.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use mytriton_simt::program::{AtomicOp, Order, Reg};
use mytriton_ssa::BinaryOp;
use mytriton_tile::name_of;
use mytriton_tile::ops::arith::AtomicRMWKind;
use mytriton_tile::ops::memref::{self, AtomicRMWOp, LoadOp, ReinterpretCastOp, StoreOp, SubViewOp};

use crate::access::At;
use crate::decoder::{Decoder, Op, Result, UNKNOWN, Words};
use crate::llvm::alignment;
use crate::shared::Place;
use crate::types::{MemRef, Ty};

/// What stands for a number that an operand gives.
const DYNAMIC: i64 = i64::MIN;

/// A memref's value: each of its numbers in a register.
pub(crate) struct View {
    pub ty: Rc<MemRef>,
    pub pointer: Reg,
    pub offset: Reg,
    pub sizes: Vec<Reg>,
    pub strides: Vec<Reg>,
}

impl Decoder<'_> {
    pub(crate) fn memref(&mut self, view: memref::Op<'_, '_>) -> Result {
        use memref::Op as M;
        let op = view.operation();
        match view {
            M::Load(view) => self.memref_load(view),
            M::Store(view) => self.memref_store(view),
            M::AtomicRMW(view) => self.atomic_rmw(view),
            M::GetGlobal(view) => {
                let pointer = self.global_address(op, view.name())?;
                self.define_reg(op, 0, pointer)
            }
            M::Cast(_) | M::MemorySpaceCast(_) => {
                let view = self.memref_operand(op, 0)?;
                let to = self.memref_ty(op)?;
                if view.ty.space != to.space {
                    return Err(self.error(op, format!("'{}' between global and shared memory", name_of(op))));
                }
                self.define_view(op, view)
            }
            M::SubView(view) => self.subview(view),
            M::ReinterpretCast(view) => self.reinterpret_cast(view),
            M::View(_) => self.view(op),
            M::Dim(_) => self.dim(op),
            M::Rank(_) => {
                let rank = self.memref_operand(op, 0)?.sizes.len();
                let rank = self.constant(rank as u64);
                self.define_reg(op, 0, rank)
            }
            M::ExtractAlignedPointerAsIndex(_) => {
                let view = self.memref_operand(op, 0)?;
                self.define_reg(op, 0, view.pointer)
            }
            M::ExtractStridedMetadata(_) => self.strided_metadata(op),
            M::AssumeAlignment(_) => self.renamed(op),
            M::Global(_) => Err(self.unknown(op)),
        }
    }

    fn memref_load(&mut self, view: LoadOp<'_, '_>) -> Result {
        let op = view.operation();
        let memref = self.memref_operand(op, 0)?;
        let at = self.element_at(op, &memref, 1, view.alignment())?;
        let words = self.load(op, &memref.ty.element, at)?;
        self.define(op, 0, words)
    }

    fn memref_store(&mut self, view: StoreOp<'_, '_>) -> Result {
        let op = view.operation();
        let memref = self.memref_operand(op, 1)?;
        let at = self.element_at(op, &memref, 2, view.alignment())?;
        let value = self.operand(op, 0)?;
        self.store(op, &memref.ty.element, at, &value)
    }

    fn dim(&mut self, op: Op<'_, '_>) -> Result {
        let view = self.memref_operand(op, 0)?;
        let axis = self.operand_reg(op, 1)?;
        let size = self.known(axis).and_then(|axis| view.sizes.get(axis as usize).copied());
        match size {
            Some(UNKNOWN) => {
                let message = "the size of dynamic shared memory is known where the kernel is launched alone";
                Err(self.error(op, message))
            }
            Some(size) => self.define_reg(op, 0, size),
            None => Err(self.error(op, "'memref.dim' of a dimension that is no constant")),
        }
    }

    fn strided_metadata(&mut self, op: Op<'_, '_>) -> Result {
        let view = self.memref_operand(op, 0)?;
        let numbers = [view.offset].into_iter().chain(view.sizes).chain(view.strides);
        self.define_reg(op, 0, view.pointer)?;
        for (index, number) in numbers.enumerate() {
            if number == UNKNOWN {
                return Err(self.error(op, "the size of dynamic shared memory is not known to a kernel"));
            }
            self.define_reg(op, index + 1, number)?;
        }
        Ok(())
    }

    fn memref_ty(&mut self, op: Op<'_, '_>) -> Result<Rc<MemRef>> {
        let ty = self.result_type(op, 0)?;
        match &*self.ty(op, ty)? {
            Ty::MemRef(memref) => Ok(memref.clone()),
            _ => Err(self.bad_type(op, ty)),
        }
    }

    /// An operand that is a memref.
    pub(crate) fn memref_operand(&mut self, op: Op<'_, '_>, index: usize) -> Result<View> {
        let ty = self.operand_type(op, index)?;
        let Ty::MemRef(memref) = &*self.ty(op, ty)? else {
            return Err(self.bad_type(op, ty));
        };
        let words = self.operand(op, index)?;
        let mut open = words[1..].iter().copied();
        let mut number = |this: &mut Self, known: Option<i64>| match known {
            Some(known) => this.constant(known as u64),
            None => open.next().unwrap_or(UNKNOWN),
        };
        Ok(View {
            pointer: words[0],
            offset: number(self, memref.offset),
            sizes: memref.sizes.iter().map(|&size| number(self, size)).collect(),
            strides: memref.strides.iter().map(|&stride| number(self, stride)).collect(),
            ty: memref.clone(),
        })
    }

    /// Defines the result: its pointer, and the numbers that its type leaves open.
    fn define_view(&mut self, op: Op<'_, '_>, view: View) -> Result {
        let to = self.memref_ty(op)?;
        let known = std::iter::once(&to.offset).chain(&to.sizes).chain(&to.strides);
        let numbers = [view.offset].into_iter().chain(view.sizes).chain(view.strides);
        let open = known
            .zip(numbers)
            .filter(|(known, _)| known.is_none())
            .map(|(_, number)| number);
        let words: Words = [view.pointer].into_iter().chain(open).collect();
        if words.len() != 1 + to.open() {
            return Err(self.error(
                op,
                format!("'{}' does not say all of what its result leaves open", name_of(op)),
            ));
        }
        self.define(op, 0, words)
    }

    /// The address of an element.
    pub(crate) fn element_address(&mut self, view: &View, indices: &[Reg]) -> Reg {
        let mut element = view.offset;
        for (&index, &stride) in indices.iter().zip(&view.strides) {
            let along = self.scale(index, stride);
            element = self.add_offset(element, along);
        }
        let size = view.ty.element.layout().map_or(1, |(size, _)| size);
        let size = self.constant(size);
        let bytes = self.scale(element, size);
        self.add_offset(view.pointer, bytes)
    }

    /// The place of the element whose indices are the operands from `first` on.
    fn element_at(&mut self, op: Op<'_, '_>, view: &View, first: usize, stated: Option<i64>) -> Result<At> {
        let indices = (first..op.operand_count())
            .map(|index| self.operand_reg(op, index))
            .collect::<Result<Vec<_>>>()?;
        let natural = view.ty.element.layout().map_or(1, |(_, alignment)| alignment);
        Ok(At {
            space: view.ty.space,
            address: self.element_address(view, &indices),
            alignment: alignment(stated).unwrap_or(natural),
        })
    }

    /// The address of a variable of the module.
    pub(crate) fn global_address(&mut self, op: Op<'_, '_>, name: &str) -> Result<Reg> {
        match self.shared.global(name) {
            Ok(Place::Static(offset)) => Ok(self.constant(u64::from(offset))),
            Ok(Place::Dynamic) => Ok(self.dynamic_base()),
            Err(message) => Err(self.error(op, format!("'@{name}': {message}"))),
        }
    }

    fn atomic_rmw(&mut self, view: AtomicRMWOp<'_, '_>) -> Result {
        let (op, kind) = (view.operation(), atomic_of(view.kind()));
        let view = self.memref_operand(op, 1)?;
        let at = self.element_at(op, &view, 2, None)?;
        let (ty, value) = (self.operand_scalar(op, 0)?, self.operand_reg(op, 0)?);
        // What the operation is lowered to (`llvm.atomicrmw ... acq_rel`).
        let order = Order {
            acquire: true,
            release: true,
        };
        let old = self.atomic(at, kind, ty, value, order);
        self.define_reg(op, 0, old)
    }

    /// The numbers of a list of which operands complete what is open; `next` becomes the operand after them.
    fn numbers(&mut self, op: Op<'_, '_>, fixed: Vec<i64>, next: &mut usize) -> Result<Vec<Reg>> {
        let mut numbers = Vec::new();
        for number in fixed {
            numbers.push(if number == DYNAMIC {
                *next += 1;
                self.operand_reg(op, *next - 1)?
            } else {
                self.constant(number as u64)
            });
        }
        Ok(numbers)
    }

    fn subview(&mut self, view: SubViewOp<'_, '_>) -> Result {
        let op = view.operation();
        let source = self.memref_operand(op, 0)?;
        let mut next = 1;
        let offsets = self.numbers(op, view.static_offsets(), &mut next)?;
        let sizes = self.numbers(op, view.static_sizes(), &mut next)?;
        let steps = self.numbers(op, view.static_strides(), &mut next)?;
        let mut offset = source.offset;
        let mut strides = Vec::new();
        for ((&at, &step), &stride) in offsets.iter().zip(&steps).zip(&source.strides) {
            let along = self.scale(at, stride);
            offset = self.add_offset(offset, along);
            strides.push(self.scale(step, stride));
        }
        let to = self.memref_ty(op)?;
        let kept = self.kept_dimensions(op, &to, &sizes, &strides)?;
        self.define_view(
            op,
            View {
                pointer: source.pointer,
                offset,
                sizes: kept.iter().map(|&axis| sizes[axis]).collect(),
                strides: kept.iter().map(|&axis| strides[axis]).collect(),
                ty: source.ty,
            },
        )
    }

    /// The dimensions of a subview that its result type keeps: it may drop some of extent 1.
    fn kept_dimensions(&self, op: Op<'_, '_>, to: &MemRef, sizes: &[Reg], strides: &[Reg]) -> Result<Vec<usize>> {
        let agrees = |known: Option<i64>, reg: Reg| match (known, self.known(reg)) {
            (Some(known), Some(value)) => known as u64 == value,
            _ => true,
        };
        let mut kept = Vec::new();
        for axis in 0..sizes.len() {
            let wanted = kept.len();
            let fits = wanted < to.sizes.len()
                && agrees(to.sizes[wanted], sizes[axis])
                && agrees(to.strides[wanted], strides[axis]);
            let unit = self.known(sizes[axis]) == Some(1);
            let spare = sizes.len() - axis > to.sizes.len() - wanted;
            if fits && !(unit && spare && to.sizes[wanted] != Some(1)) {
                kept.push(axis);
            }
        }
        if kept.len() != to.sizes.len() {
            return Err(self.error(op, "the dimensions that 'memref.subview' drops are not clear"));
        }
        Ok(kept)
    }

    fn reinterpret_cast(&mut self, cast: ReinterpretCastOp<'_, '_>) -> Result {
        let op = cast.operation();
        let source = self.memref_operand(op, 0)?;
        let mut next = 1;
        let offset = self.numbers(op, cast.static_offsets(), &mut next)?;
        let sizes = self.numbers(op, cast.static_sizes(), &mut next)?;
        let strides = self.numbers(op, cast.static_strides(), &mut next)?;
        let view = View {
            pointer: source.pointer,
            offset: offset.first().copied().unwrap_or(source.offset),
            sizes,
            strides,
            ty: source.ty,
        };
        self.define_view(op, view)
    }

    /// `memref.view`: a contiguous memref in a buffer of bytes.
    fn view(&mut self, op: Op<'_, '_>) -> Result {
        let source = self.memref_operand(op, 0)?;
        let shift = self.operand_reg(op, 1)?;
        let start = self.add_offset(source.offset, shift);
        let pointer = self.add_offset(source.pointer, start);
        let to = self.memref_ty(op)?;
        let mut next = 2;
        let mut sizes = Vec::new();
        for size in &to.sizes {
            sizes.push(match size {
                Some(size) => self.constant(*size as u64),
                None => {
                    next += 1;
                    self.operand_reg(op, next - 1)?
                }
            });
        }
        let mut strides = Vec::new();
        let mut stride = self.constant(1);
        for &size in sizes.iter().rev() {
            strides.insert(0, stride);
            stride = self.scale(stride, size);
        }
        let offset = self.constant(0);
        let view = View {
            pointer,
            offset,
            sizes,
            strides,
            ty: source.ty,
        };
        self.define_view(op, view)
    }
}

/// The change that a kind of `memref.atomic_rmw` makes.
fn atomic_of(kind: AtomicRMWKind) -> AtomicOp {
    AtomicOp::Binary(match kind {
        AtomicRMWKind::Assign => return AtomicOp::Exchange,
        AtomicRMWKind::Addf | AtomicRMWKind::Addi => BinaryOp::Add,
        AtomicRMWKind::Mulf | AtomicRMWKind::Muli => BinaryOp::Mul,
        AtomicRMWKind::Andi => BinaryOp::And,
        AtomicRMWKind::Ori => BinaryOp::Or,
        AtomicRMWKind::Xori => BinaryOp::Xor,
        AtomicRMWKind::Maximumf => BinaryOp::MaxNan,
        AtomicRMWKind::Maxnumf => BinaryOp::Max,
        AtomicRMWKind::Maxs => BinaryOp::MaxS,
        AtomicRMWKind::Maxu => BinaryOp::MaxU,
        AtomicRMWKind::Minimumf => BinaryOp::MinNan,
        AtomicRMWKind::Minnumf => BinaryOp::Min,
        AtomicRMWKind::Mins => BinaryOp::MinS,
        AtomicRMWKind::Minu => BinaryOp::MinU,
    })
}
