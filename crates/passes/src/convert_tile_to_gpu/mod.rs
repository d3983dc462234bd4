//! `convert-tile-to-gpu`: one thread's program from a program on tiles. May change numerics within the bounds of
//! `docs/language.md`: approximate functions are chosen here.
//!
//! A tile becomes the vector of the elements that one thread holds, in the order of its registers; a pointer becomes its
//! 64-bit address. Scalars stay. What has a meaning per element (`arith`, `math`) is kept and applied to vectors;
//! control flow (`scf`) is kept with the new types. The kernel becomes a `gpu.func` in a `gpu.module`.
//!
//! Limits: tiles need layouts (`tile-assign-layouts`), and warps have 32 threads.

mod access;
mod combine;
mod control;
mod division;
mod exchange;
mod gather;
mod histogram;
mod index;
mod integer;
mod join;
mod lanes;
mod local;
mod math;
mod memory;
pub mod neutral;
mod reduce;
mod regroup;
mod row_major;
mod scan;
mod scratch;
mod shuffle;
mod stored;
mod thread;
mod uniform;
mod warps;

use melior::Context;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Block, BlockRef, Identifier, Operation, OperationRef, Region, RegionLike, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_layout::staging::Matrices;
use mytriton_tile::emit::{Emitter, argument_of, element_type, result_of};
use mytriton_tile::ops::TileOp;
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use crate::LANES;
use crate::axis_info::AxisInfos;
use crate::ir::{
    PassResult, blocks_of, constant_as, error_at, int_attribute, kernels_of, key, layout_at, matrices_of, name_of,
    num_warps_of, ops_of, put_in_place, remove,
};
use crate::{allocate_shared, insert_barriers};
pub use access::Direction;
use index::dimension;
pub use local::is_by_matrices;
use scratch::Memory;
pub use scratch::{ALIGNMENT, BUFFER_ALIGNMENT, BYTES, Need, OFFSET, SHARED_BYTES, STATIC_SHARED_BYTES, WITHIN_WARPS};
use thread::Thread;
use uniform::Uniform;

/// The name of the `gpu.module` that holds the kernels.
pub const MODULE: &str = "kernels";

/// Runs the conversion on a module.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    sys::with_context(&module, |context| {
        let kernels = kernels_of(module);
        let mut shared = Shared::new(Memory::Planned);
        let converted = kernels.iter().map(|&kernel| planned(context, kernel, &mut shared));
        let converted = converted.collect::<PassResult<Vec<_>>>()?;
        if let Some((&first, others)) = kernels.split_first() {
            put_in_place(first, device_module(context, first, &shared, converted));
            others.iter().for_each(|&kernel| remove(kernel));
        }
        sys::set_attribute(module, "gpu.container_module", melior::ir::Attribute::unit(context));
        Ok(())
    })
}

/// What the kernels of a module have in common.
struct Shared<'c> {
    /// Library functions that are called: name and type.
    functions: BTreeMap<String, Type<'c>>,
    /// The most that a kernel takes of it.
    shared_bytes: u64,
    /// What that memory is aligned to, in bytes.
    alignment: u64,
    memory: Memory,
    /// Did an operation take memory that it has not been given?
    unplanned: bool,
}

impl<'c> Shared<'c> {
    fn new(memory: Memory) -> Self {
        Shared {
            functions: BTreeMap::new(),
            shared_bytes: 0,
            alignment: ALIGNMENT,
            memory,
            unplanned: false,
        }
    }
}

/// Shared memory that the operations of a kernel in the `layout` stage take, in order: those that may take some are
/// converted, of operands that stand for what they will be, and what they ask for is listed.
///
/// # Errors
/// Where such an operation cannot be converted.
pub fn needs<'c: 'a, 'a>(context: &'c Context, kernel: OperationRef<'c, 'a>) -> PassResult<'c, Vec<Need>> {
    let mut shared = Shared::new(Memory::Listed(Vec::new()));
    // Destroyed at the end.
    let region = Region::new();
    let emitter = Emitter::new(context, region.append_block(Block::new(&[])), kernel.location());
    let mut conversion = Conversion {
        context,
        infos: AxisInfos::default(),
        matrices: matrices_of(kernel),
        thread: Thread::new(emitter),
        values: FxHashMap::default(),
        taken: None,
        shared: &mut shared,
    };
    for body in blocks_of(kernel) {
        conversion.needs_of(emitter, body)?;
    }
    Ok(match shared.memory {
        Memory::Listed(needs) => needs,
        Memory::Planned => Vec::new(),
    })
}

/// The `gpu.func` of a kernel. Where shared memory has not been planned yet, it is first, with the barriers that it takes.
fn planned<'c: 'a, 'a>(
    context: &'c Context,
    kernel: OperationRef<'c, 'a>,
    shared: &mut Shared<'c>,
) -> PassResult<'c, Operation<'c>> {
    let first = convert(context, kernel, shared);
    let converted = match std::mem::take(&mut shared.unplanned) {
        false => first?,
        true => {
            drop(first);
            allocate_shared::plan(context, kernel)?;
            insert_barriers::order(kernel)?;
            convert(context, kernel, shared)?
        }
    };
    let bytes = int_attribute(kernel, SHARED_BYTES).unwrap_or(0);
    shared.shared_bytes = shared.shared_bytes.max(bytes.unsigned_abs());
    Ok(converted)
}

/// `gpu.module { library functions, scratch memory, kernels }`.
fn device_module<'c>(
    context: &'c Context,
    first: OperationRef<'c, '_>,
    shared: &Shared<'c>,
    kernels: Vec<Operation<'c>>,
) -> Operation<'c> {
    let region = Region::new();
    let inside = Emitter::new(context, region.append_block(Block::new(&[])), first.location());
    for (name, ty) in &shared.functions {
        let attributes = [
            ("sym_name", inside.string_attribute(name)),
            ("function_type", inside.type_attribute(*ty)),
        ];
        inside.op_with_regions("llvm.func", &[], &[], &attributes, vec![Region::new()]);
    }
    if shared.shared_bytes > 0 {
        scratch::declare(inside, shared.shared_bytes, shared.alignment);
    }
    let name = inside.string_attribute(MODULE);
    for kernel in kernels {
        inside.append(kernel);
    }
    OperationBuilder::new("gpu.module", first.location())
        .add_attributes(&[(Identifier::new(context, "sym_name"), name)])
        .add_regions([region])
        .build()
        .expect("a module has no results to infer")
}

/// The `gpu.func` of a kernel.
fn convert<'c: 'a, 'a>(
    context: &'c Context,
    kernel: OperationRef<'c, 'a>,
    shared: &mut Shared<'c>,
) -> PassResult<'c, Operation<'c>> {
    let body = blocks_of(kernel)
        .first()
        .copied()
        .ok_or_else(|| error_at(kernel, "a kernel has a body"))?;
    let arguments: Vec<Value> = (0..body.argument_count()).map(|i| argument_of(body, i)).collect();
    let types: Vec<Type> = arguments.iter().map(|v| lowered_scalar(context, v.r#type())).collect();
    let region = Region::new();
    let block = region.append_block(Block::new(
        &types.iter().map(|&ty| (ty, kernel.location())).collect::<Vec<_>>(),
    ));
    let emitter = Emitter::new(context, block, kernel.location());
    let mut conversion = Conversion {
        context,
        infos: AxisInfos::analyze(kernel),
        matrices: matrices_of(kernel),
        thread: Thread::new(emitter),
        values: FxHashMap::default(),
        taken: None,
        shared,
    };
    for (index, &argument) in arguments.iter().enumerate() {
        conversion.values.insert(key(argument), argument_of(block, index));
    }
    conversion.block(emitter, body)?;

    let name = kernel
        .attribute("sym_name")
        .map_err(|e| error_at(kernel, e.to_string()))?;
    let threads = i32::try_from(num_warps_of(kernel) * LANES).unwrap_or(i32::MAX);
    let attributes = [
        ("sym_name", name),
        (
            "function_type",
            emitter.type_attribute(FunctionType::new(context, &types, &[]).into()),
        ),
        ("gpu.kernel", emitter.unit()),
        (
            "known_block_size",
            DenseI32ArrayAttribute::new(context, &[threads, 1, 1]).into(),
        ),
    ];
    Ok(OperationBuilder::new("gpu.func", kernel.location())
        .add_attributes(&attributes.map(|(name, value)| (Identifier::new(context, name), value)))
        .add_regions([region])
        .build()
        .expect("a function has no results to infer"))
}

/// The type of a scalar in the `gpu` stage: pointers are addresses, and buffers where they begin in shared memory.
fn lowered_scalar<'c>(context: &'c Context, ty: Type<'c>) -> Type<'c> {
    if sys::ptr_pointee(ty).is_some() {
        IntegerType::new(context, 64).into()
    } else if sys::BufferRef::new(ty).is_some() {
        Type::parse(context, "!llvm.ptr<3>").expect("a type of the llvm dialect")
    } else {
        ty
    }
}

/// Does an operation exchange elements, or hold them, in shared memory, in some layouts at least?
fn may_take_memory(op: TileOp<'_, '_>) -> bool {
    match op {
        TileOp::ConvertLayout(_)
        | TileOp::Reshape(_)
        | TileOp::Transpose(_)
        | TileOp::Join(_)
        | TileOp::Split(_)
        | TileOp::Gather(_)
        | TileOp::Histogram(_)
        | TileOp::Reduce(_)
        | TileOp::Scan(_)
        | TileOp::Alloc(_) => true,
        TileOp::Store(_)
        | TileOp::Load(_)
        | TileOp::ProgramId(_)
        | TileOp::NumPrograms(_)
        | TileOp::Range(_)
        | TileOp::Splat(_)
        | TileOp::ExpandDims(_)
        | TileOp::Broadcast(_)
        | TileOp::Yield(_)
        | TileOp::AddPtr(_)
        | TileOp::PtrToInt(_)
        | TileOp::Dealloc(_)
        | TileOp::LocalLoad(_)
        | TileOp::LocalStore(_)
        | TileOp::Shl(_)
        | TileOp::ShrS(_)
        | TileOp::ShrU(_)
        | TileOp::DivS(_)
        | TileOp::DivU(_)
        | TileOp::RemS(_)
        | TileOp::RemU(_)
        | TileOp::FpToSi(_)
        | TileOp::FpToUi(_) => false,
    }
}

struct Conversion<'c, 'a, 's> {
    context: &'c Context,
    infos: AxisInfos,
    /// The instructions for matrices in shared memory that there are.
    matrices: Matrices,
    thread: Thread<'c, 'a>,
    values: FxHashMap<usize, Value<'c, 'a>>,
    /// The operation that took shared memory last, and how much.
    taken: Option<(usize, u64)>,
    shared: &'s mut Shared<'c>,
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    fn value(&self, op: OperationRef<'c, '_>, old: Value<'c, '_>) -> PassResult<'c, Value<'c, 'a>> {
        let missing = || error_at(op, format!("an operand of '{}' was not converted", name_of(op)));
        self.values.get(&key(old)).copied().ok_or_else(missing)
    }

    /// The type in the `gpu` stage: a tile is the vector of a thread's elements.
    fn lowered(&self, op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, Type<'c>> {
        Ok(match layout_at(op, ty)? {
            None => lowered_scalar(self.context, ty),
            Some(layout) => self.vector(&layout, lowered_scalar(self.context, element_type(ty))),
        })
    }

    fn vector(&self, layout: &DistributedLayout, element: Type<'c>) -> Type<'c> {
        Type::vector(&[u64::from(layout.num_registers())], element)
    }

    fn block(&mut self, emitter: Emitter<'c, 'a>, old: BlockRef<'c, '_>) -> PassResult<'c> {
        for op in ops_of(old) {
            self.op(emitter.at(op.location()), op)?;
        }
        Ok(())
    }

    /// Converts what may take shared memory in a block and those in it, with arguments of a new block for the operands.
    fn needs_of(&mut self, emitter: Emitter<'c, 'a>, old: BlockRef<'c, '_>) -> PassResult<'c> {
        for op in ops_of(old) {
            let Some(tile) = TileOp::cast(op) else {
                for inner in blocks_of(op) {
                    self.needs_of(emitter, inner)?;
                }
                continue;
            };
            if may_take_memory(tile) {
                for operand in op.operands() {
                    let ty = self.lowered(op, operand.r#type())?;
                    let stand_in = emitter.block.add_argument(ty, op.location());
                    self.values.insert(key(operand), stand_in);
                }
                self.op(emitter.at(op.location()), op)?;
            }
        }
        Ok(())
    }

    fn op(&mut self, emitter: Emitter<'c, 'a>, op: OperationRef<'c, '_>) -> PassResult<'c> {
        let name = name_of(op);
        let operands = op
            .operands()
            .map(|v| self.value(op, v))
            .collect::<PassResult<Vec<_>>>()?;
        let types = op
            .results()
            .map(|r| self.lowered(op, r.r#type()))
            .collect::<PassResult<Vec<_>>>()?;
        if name.starts_with("scf.") {
            return self.control_flow(emitter, op, &operands, &types);
        }
        if let Some(tile) = TileOp::cast(op) {
            if let Some(result) = self.tile(emitter, op, tile, &operands, &types)? {
                self.values.insert(key(result_of(op, 0)), result);
            }
            return Ok(());
        }
        let result = match name.as_str() {
            "func.return" => {
                emitter.op("gpu.return", &[], &[], &[]);
                return Ok(());
            }
            "gpu.barrier" => {
                emitter.op("gpu.barrier", &[], &[], &[]);
                return Ok(());
            }
            "arith.constant" => emitter.constant(constant_as(op, types[0])?, types[0]),
            _ => match self.arithmetic(emitter, op, &name, &operands, types.first().copied())? {
                Some(value) => value,
                None => return Err(error_at(op, format!("'{name}' has no form in the gpu stage"))),
            },
        };
        self.values.insert(key(result_of(op, 0)), result);
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
            TileOp::Splat(_) => emitter.value("vector.broadcast", operands, types[0], &[]),
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
            TileOp::Shl(_)
            | TileOp::ShrS(_)
            | TileOp::ShrU(_)
            | TileOp::DivS(_)
            | TileOp::DivU(_)
            | TileOp::RemS(_)
            | TileOp::RemU(_) => {
                return self.once(emitter, op, operands, types[0], |operands, _| {
                    self.integer(emitter, tile, operands)
                });
            }
            TileOp::FpToSi(_) => self.saturated(emitter, operands, types[0], true),
            TileOp::FpToUi(_) => self.saturated(emitter, operands, types[0], false),
        }))
    }

    fn arithmetic(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        name: &str,
        operands: &[Value<'c, 'a>],
        ty: Option<Type<'c>>,
    ) -> PassResult<'c, Option<Value<'c, 'a>>> {
        let Some(ty) = ty else { return Ok(None) };
        if let Some(value) = self.function(emitter, op, name, operands, ty) {
            return Ok(Some(value));
        }
        if !(name.starts_with("arith.") || name.starts_with("math.")) {
            return Ok(None);
        }
        self.once(emitter, op, operands, ty, |operands, ty| {
            Some(result_of(emitter.like(op, operands, &[ty], Vec::new()), 0))
        })
    }

    /// An element-wise operation given on vectors, applied to one register of each group whose results are equal.
    fn once(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
        apply: impl FnOnce(&[Value<'c, 'a>], Type<'c>) -> Option<Value<'c, 'a>>,
    ) -> PassResult<'c, Option<Value<'c, 'a>>> {
        let result: Value = result_of(op, 0);
        let layout = layout_at(op, result.r#type())?;
        let uniform = layout.and_then(|layout| Uniform::equal(&layout, &self.infos.get(result)));
        Ok(match uniform {
            None => apply(operands, ty),
            Some(uniform) => {
                let kept: Vec<_> = operands.iter().map(|&v| uniform.gather(emitter, v)).collect();
                apply(&kept, uniform.narrow(ty)).map(|value| uniform.spread(emitter, value, ty, 0))
            }
        })
    }
}
