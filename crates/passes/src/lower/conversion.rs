//! The core of the lowering: the values of a kernel's operations, and which family lowers an operation.

use melior::Context;
use melior::dialect::llvm::r#type::pointer;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockRef, OperationRef, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_layout::staging::Matrices;
use mytriton_tile::emit::{Emitter, element_type, result_of};
use mytriton_tile::ops::{AnyOp, TileOp, arith, func, gpu, vector};
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;

use crate::analyses::axis_info::AxisInfos;
use crate::ir::{PassResult, constant_as, error_at, key, layout_at, matrices_of, name_of, ops_of};
use crate::lower::convert_tile_to_gpu::ModuleFacts;
use crate::lower::elementwise::integer::{Division, arithmetic_shift, divide_signed, divide_unsigned, logical_shift};
use crate::lower::index::dimension;
use crate::lower::thread::Thread;

/// The lowering of one kernel.
pub struct Conversion<'c, 'a, 's> {
    pub(crate) context: &'c Context,
    pub(crate) infos: AxisInfos,
    /// The instructions for matrices in shared memory that there are.
    pub(crate) matrices: Matrices,
    pub(crate) thread: Thread<'c, 'a>,
    /// What has become of the values so far, by their identity.
    pub(crate) values: FxHashMap<usize, Value<'c, 'a>>,
    pub(crate) facts: &'s mut ModuleFacts<'c>,
}

impl<'c: 'a, 'a, 's> Conversion<'c, 'a, 's> {
    /// That of a kernel in the `layout` stage, at the start of its new body.
    pub fn new(emitter: Emitter<'c, 'a>, kernel: OperationRef<'c, '_>, facts: &'s mut ModuleFacts<'c>) -> Self {
        Conversion {
            context: emitter.context,
            infos: AxisInfos::analyze(kernel),
            matrices: matrices_of(kernel),
            thread: Thread::new(emitter),
            values: FxHashMap::default(),
            facts,
        }
    }

    pub(crate) fn value(&self, op: OperationRef<'c, '_>, old: Value<'c, '_>) -> PassResult<'c, Value<'c, 'a>> {
        let missing = || error_at(op, format!("an operand of '{}' was not converted", name_of(op)));
        self.values.get(&key(old)).copied().ok_or_else(missing)
    }

    /// The type in the `gpu` stage: a tile is the vector of a thread's elements.
    pub(crate) fn lowered(&self, op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, Type<'c>> {
        Ok(match layout_at(op, ty)? {
            None => lowered_scalar(self.context, ty),
            Some(layout) => self.vector(&layout, lowered_scalar(self.context, element_type(ty))),
        })
    }

    fn vector(&self, layout: &DistributedLayout, element: Type<'c>) -> Type<'c> {
        Type::vector(&[u64::from(layout.num_registers())], element)
    }

    pub(crate) fn block(&mut self, emitter: Emitter<'c, 'a>, old: BlockRef<'c, '_>) -> PassResult<'c> {
        for op in ops_of(old) {
            self.op(emitter.at(op.location()), op)?;
        }
        Ok(())
    }

    pub(crate) fn op(&mut self, emitter: Emitter<'c, 'a>, op: OperationRef<'c, '_>) -> PassResult<'c> {
        let operands = op
            .operands()
            .map(|v| self.value(op, v))
            .collect::<PassResult<Vec<_>>>()?;
        let types = op
            .results()
            .map(|r| self.lowered(op, r.r#type()))
            .collect::<PassResult<Vec<_>>>()?;
        let result = match AnyOp::cast(op) {
            Some(AnyOp::Scf(_)) => return self.control_flow(emitter, op, &operands, &types),
            Some(AnyOp::Tile(tile)) => self.tile(emitter, op, tile, &operands, &types)?,
            Some(AnyOp::Func(func::Op::Return(_))) => {
                emitter.gpu_return(&[]);
                None
            }
            Some(AnyOp::Gpu(gpu::Op::Barrier(_))) => {
                emitter.gpu_barrier();
                None
            }
            Some(AnyOp::Arith(arith::Op::Constant(_))) => Some(emitter.constant(constant_as(op, types[0])?, types[0])),
            Some(AnyOp::Arith(_) | AnyOp::Math(_)) => Some(self.arithmetic(emitter, op, &operands, types[0])?),
            Some(
                AnyOp::Cf(_)
                | AnyOp::Func(_)
                | AnyOp::Gpu(_)
                | AnyOp::Llvm(_)
                | AnyOp::Memref(_)
                | AnyOp::Nvvm(_)
                | AnyOp::Ub(_)
                | AnyOp::Vector(_),
            )
            | None => {
                let name = name_of(op);
                return Err(error_at(op, format!("'{name}' has no form in the gpu stage")));
            }
        };
        if let Some(result) = result {
            self.values.insert(key(result_of(op, 0)), result);
        }
        Ok(())
    }

    /// An operation of the tile dialect. Stores have no value; operations of several results have entered theirs already.
    fn tile(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        tile: TileOp<'c, '_>,
        operands: &[Value<'c, 'a>],
        types: &[Type<'c>],
    ) -> PassResult<'c, Option<Value<'c, 'a>>> {
        Ok(Some(match tile {
            TileOp::Store(op) => {
                self.store(emitter, op)?;
                return Ok(None);
            }
            TileOp::Load(op) => self.load(emitter, op)?,
            TileOp::ProgramId(op) => self.as_i32(emitter, emitter.gpu_block_id(dimension(op.axis())).result()),
            TileOp::NumPrograms(op) => self.as_i32(emitter, emitter.gpu_grid_dim(dimension(op.axis())).result()),
            TileOp::Range(op) => self.range(emitter, op, types[0])?,
            TileOp::Splat(_) => emitter.value(vector::BROADCAST, operands, types[0], &[]),
            TileOp::ExpandDims(op) => {
                let axis = usize::try_from(op.axis()).ok();
                self.stretched(emitter, op.operation(), axis, operands[0], types[0])?
            }
            TileOp::Broadcast(op) => self.stretched(emitter, op.operation(), None, operands[0], types[0])?,
            TileOp::Transpose(op) => self.transpose(emitter, op, operands[0], types[0])?,
            TileOp::Reshape(op) => self.reshape(emitter, op, operands[0], types[0])?,
            TileOp::Join(op) => self.joined(emitter, op, operands, types[0])?,
            TileOp::Gather(op) => self.gather(emitter, op, operands, types[0])?,
            TileOp::Histogram(op) => self.histogram(emitter, op, operands, types[0])?,
            // Their results may be several.
            TileOp::Split(op) => {
                self.split(emitter, op, operands[0], types[0])?;
                return Ok(None);
            }
            TileOp::Reduce(op) => {
                self.reduce(emitter, op, operands)?;
                return Ok(None);
            }
            TileOp::Scan(op) => {
                self.scan(emitter, op, operands)?;
                return Ok(None);
            }
            TileOp::Yield(op) => {
                return Err(error_at(op.operation(), "stands outside of a reduction or scan"));
            }
            TileOp::AddPtr(op) => self.addptr(emitter, op)?,
            TileOp::PtrToInt(_) => operands[0],
            TileOp::ConvertLayout(op) => self.convert_layout(emitter, op, operands[0], types[0])?,
            TileOp::Alloc(op) => self.alloc(emitter, op)?,
            // Its memory has been given to others from here on.
            TileOp::Dealloc(_) => return Ok(None),
            TileOp::LocalLoad(op) => self.local_load(emitter, op)?,
            TileOp::LocalStore(op) => {
                self.local_store(emitter, op)?;
                return Ok(None);
            }
            TileOp::Shl(_) => self.of_two(emitter, op, operands, types[0], |a, b| {
                logical_shift(emitter, arith::SHLI, a, b)
            })?,
            TileOp::ShrU(_) => self.of_two(emitter, op, operands, types[0], |a, b| {
                logical_shift(emitter, arith::SHRUI, a, b)
            })?,
            TileOp::ShrS(_) => self.of_two(emitter, op, operands, types[0], |a, b| arithmetic_shift(emitter, a, b))?,
            TileOp::DivS(_) => self.of_two(emitter, op, operands, types[0], |a, b| {
                divide_signed(emitter, Division::Quotient, a, b)
            })?,
            TileOp::DivU(_) => self.of_two(emitter, op, operands, types[0], |a, b| {
                divide_unsigned(emitter, Division::Quotient, a, b)
            })?,
            TileOp::RemS(_) => self.of_two(emitter, op, operands, types[0], |a, b| {
                divide_signed(emitter, Division::Remainder, a, b)
            })?,
            TileOp::RemU(_) => self.of_two(emitter, op, operands, types[0], |a, b| {
                divide_unsigned(emitter, Division::Remainder, a, b)
            })?,
            TileOp::UnaryFunction(_) | TileOp::BinaryFunction(_) => {
                return Ok(self.function(emitter, op, &name_of(op), operands, types[0]));
            }
            TileOp::FpToSi(_) => self.saturated(emitter, operands, types[0], true),
            TileOp::FpToUi(_) => self.saturated(emitter, operands, types[0], false),
        }))
    }
}

/// The address space of shared memory (NVPTX back end, "Address Spaces").
pub const SHARED_SPACE: u32 = 3;

/// A pointer to shared memory.
pub fn shared_pointer(context: &Context) -> Type<'_> {
    pointer(context, SHARED_SPACE)
}

/// The type of a scalar in the `gpu` stage: pointers are addresses, and buffers where they begin in shared memory.
pub fn lowered_scalar<'c>(context: &'c Context, ty: Type<'c>) -> Type<'c> {
    if sys::ptr_pointee(ty).is_some() {
        IntegerType::new(context, 64).into()
    } else if sys::BufferRef::new(ty).is_some() {
        shared_pointer(context)
    } else {
        ty
    }
}
