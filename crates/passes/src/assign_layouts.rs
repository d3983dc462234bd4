//! `tile-assign-layouts`: gives every tensor of a kernel a layout. Numerics do not change.
//!
//! 1. *Home layouts.* Loads and stores of one shape share a blocked layout: it runs along the dimension in which the
//!    addresses are contiguous, each thread holding as many consecutive elements as one 16-byte access takes (fewer
//!    where alignment or the tile's size does not allow it). A shape that is never accessed gets the default.
//! 2. *Demands*, against the order of the operations: memory operations, loop-carried values and results of branches
//!    live in their shape's home, operands of reductions and scans too; any other operation wants its operands so that
//!    nothing has to move.
//! 3. *Rebuilding*, in order: an operation that can be repeated is made once for every layout in which its result is
//!    wanted; a load or carried value is made in its home and converted (`tile.convert_layout`) where it is wanted otherwise.
//!
//! The operations that remain unused by this need no removal: what nobody wants is not made again.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, Region, RegionLike, Type, TypeLike, Value, ValueLike};
use mytriton_layout::{DistributedLayout, LayoutError};
use mytriton_tile::emit::{Emitter, argument_of, element_type, result_of, shape_of};
use mytriton_tile::layout::tensor_type;
use mytriton_tile::ops::{self, LoadOp, StoreOp, TileOp};
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::axis_info::AxisInfos;
use crate::ir::{
    PassResult, blocks_of, copy_of_combine, error_at, kernels_of, key, name_of, num_warps_of, ops_of, pointee_bytes,
};
use crate::shape::keeps_places;

/// The widest access of one thread, in bytes.
const ACCESS_BYTES: u64 = 16;
const LANES: u32 = 32;

/// Runs the pass on a module.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    for kernel in kernels_of(module) {
        sys::with_context(&kernel, |context| assign(context, kernel))?;
    }
    Ok(())
}

type Layouts = SmallVec<[DistributedLayout; 2]>;

/// The layout in which memory operations and carried values of each shape live.
struct Homes {
    accesses: FxHashMap<Vec<u64>, Access>,
    layouts: FxHashMap<Vec<u64>, DistributedLayout>,
    num_warps: u32,
}

/// What accesses of one shape ask for: the contiguous dimension, and elements per thread along it.
struct Access {
    axis: usize,
    vector: u64,
}

impl Homes {
    fn collect(&mut self, block: BlockRef<'_, '_>, infos: &AxisInfos) {
        for op in ops_of(block) {
            let pointer = LoadOp::cast(op)
                .map(LoadOp::pointer)
                .or_else(|| StoreOp::cast(op).map(StoreOp::pointer));
            if let Some(pointer) = pointer
                && let (Some(shape), Some(bytes)) = (shape_of(pointer.r#type()), pointee_bytes(pointer.r#type()))
            {
                let info = infos.get(pointer);
                let last = shape.len() - 1;
                // The most contiguous dimension, the last of several.
                let axis = (0..=last).max_by_key(|&d| (info.axes[d].contiguity, d)).unwrap_or(last);
                let along = info.axes[axis];
                let vector = (ACCESS_BYTES / bytes)
                    .min(along.contiguity)
                    .min(along.divisibility / bytes)
                    .max(1);
                let access = self.accesses.entry(shape).or_insert(Access { axis, vector });
                if access.vector == 1 && vector > 1 {
                    *access = Access { axis, vector };
                } else if access.axis == axis {
                    access.vector = access.vector.max(vector);
                }
            }
            for inner in blocks_of(op) {
                self.collect(inner, infos);
            }
        }
    }

    fn of(&mut self, shape: &[u64]) -> Result<DistributedLayout, LayoutError> {
        if let Some(layout) = self.layouts.get(shape) {
            return Ok(layout.clone());
        }
        let extents: Vec<u32> = shape.iter().map(|&d| d as u32).collect();
        let last = shape.len() - 1;
        let (axis, vector) = self.accesses.get(shape).map_or((last, 1), |a| (a.axis, a.vector));
        // The constructor fills from the last axis on: bring the contiguous one there and back.
        let mut order: Vec<usize> = (0..shape.len()).filter(|&d| d != axis).collect();
        order.push(axis);
        let permuted: Vec<u32> = order.iter().map(|&d| extents[d]).collect();
        let back: Vec<usize> = (0..shape.len())
            .map(|d| order.iter().position(|&o| o == d).unwrap_or(d))
            .collect();
        let layout =
            DistributedLayout::blocked_default(&permuted, vector as u32, LANES, self.num_warps)?.permute(&back)?;
        self.layouts.insert(shape.to_vec(), layout.clone());
        Ok(layout)
    }
}

/// Operations of scalars and tiles that compute each element from the same elements of their operands.
fn is_elementwise(name: &str) -> bool {
    name.starts_with("arith.") || name.starts_with("math.") || ELEMENTWISE.contains(&name)
}

const ELEMENTWISE: &[&str] = &[
    ops::ADDPTR,
    ops::SHL,
    ops::SHR_S,
    ops::SHR_U,
    ops::DIV_S,
    ops::DIV_U,
    ops::REM_S,
    ops::REM_U,
    ops::FP_TO_SI,
    ops::FP_TO_UI,
    ops::PTR_TO_INT,
];

/// The layout in which operand `index` of an operation is wanted, so that the result comes in `layout`.
fn operand_layout<'c>(
    op: OperationRef<'c, '_>,
    name: &str,
    index: usize,
    layout: &DistributedLayout,
) -> PassResult<'c, DistributedLayout> {
    let derived = crate::rules::operand_layout(op, index, layout);
    derived.map_err(|e| error_at(op, format!("no layout for the operand of '{name}': {e}")))
}

fn assign<'c: 'a, 'a>(context: &'c Context, kernel: OperationRef<'c, 'a>) -> PassResult<'c> {
    let Some(body) = blocks_of(kernel).first().copied() else {
        return Ok(());
    };
    let infos = AxisInfos::analyze(kernel);
    let num_warps = num_warps_of(kernel);
    let mut homes = Homes {
        accesses: FxHashMap::default(),
        layouts: FxHashMap::default(),
        num_warps,
    };
    homes.collect(body, &infos);
    let mut demands = Demands {
        homes,
        wanted: FxHashMap::default(),
    };
    demands.block(body)?;

    let arguments: Vec<_> = (0..body.argument_count())
        .map(|i| (argument_of(body, i).r#type(), argument_of(body, i).location()))
        .collect();
    let region = Region::new();
    let block = region.append_block(melior::ir::Block::new(&arguments));
    let mut rebuild = Rebuild {
        demands,
        scalars: FxHashMap::default(),
        tiles: FxHashMap::default(),
    };
    for index in 0..body.argument_count() {
        rebuild
            .scalars
            .insert(key(argument_of(body, index)), argument_of(block, index));
    }
    rebuild.block(Emitter::new(context, block, kernel.location()), body)?;
    crate::ir::replace_op(kernel, region);
    Ok(())
}

struct Demands {
    homes: Homes,
    wanted: FxHashMap<usize, Layouts>,
}

impl Demands {
    fn want(&mut self, value: Value<'_, '_>, layout: DistributedLayout) {
        let wanted = self.wanted.entry(key(value)).or_default();
        if !wanted.contains(&layout) {
            wanted.push(layout);
        }
    }

    fn home<'c>(&mut self, op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, Option<DistributedLayout>> {
        let Some(shape) = shape_of(ty) else { return Ok(None) };
        self.homes
            .of(&shape)
            .map(Some)
            .map_err(|e| error_at(op, format!("no layout for {ty}: {e}")))
    }

    /// Every layout in which one of an operation's results is wanted.
    fn wanted_of_results(&self, op: OperationRef<'_, '_>) -> Layouts {
        let mut layouts = Layouts::new();
        for result in op.results() {
            for layout in self.wanted.get(&key(result.into())).into_iter().flatten() {
                if !layouts.contains(layout) {
                    layouts.push(layout.clone());
                }
            }
        }
        layouts
    }

    fn want_home<'c>(&mut self, op: OperationRef<'c, '_>) -> PassResult<'c> {
        for value in op.operands() {
            if let Some(home) = self.home(op, value.r#type())? {
                self.want(value, home);
            }
        }
        Ok(())
    }

    fn block<'c: 'a, 'a>(&mut self, block: BlockRef<'c, 'a>) -> PassResult<'c> {
        for op in ops_of(block).into_iter().rev() {
            let name = name_of(op);
            if name.starts_with("scf.") {
                for inner in blocks_of(op) {
                    self.block(inner)?;
                }
            }
            if lives_at_home(&name) || moves(op) {
                self.want_home(op)?;
            } else {
                for layout in self.wanted_of_results(op) {
                    for (index, value) in op.operands().enumerate() {
                        if value.r#type().is_ranked_tensor() {
                            let wanted = operand_layout(op, &name, index, &layout)?;
                            self.want(value, wanted);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Memory and control flow: their tiles live in their shape's home.
fn lives_at_home(name: &str) -> bool {
    name.starts_with("scf.") || matches!(name, ops::LOAD | ops::STORE | "func.return")
}

/// Operations that move elements between threads: their operands are wanted at home, and where the results come to lie
/// follows from that.
fn moves(op: OperationRef<'_, '_>) -> bool {
    match TileOp::cast(op) {
        Some(TileOp::Reduce(_) | TileOp::Scan(_) | TileOp::Gather(_) | TileOp::Histogram(_)) => true,
        Some(TileOp::Split(split)) => shape_of(split.first().r#type()).is_none(),
        Some(TileOp::Reshape(reshape)) => {
            let shapes = [reshape.source(), reshape.result()].map(|value| shape_of(value.r#type()));
            match shapes {
                [Some(from), Some(to)] => !keeps_places(&from, &to),
                [from, _] => from.is_some(),
            }
        }
        _ => false,
    }
}

struct Rebuild<'c, 'a> {
    demands: Demands,
    scalars: FxHashMap<usize, Value<'c, 'a>>,
    tiles: FxHashMap<usize, SmallVec<[(DistributedLayout, Value<'c, 'a>); 2]>>,
}

impl<'c: 'a, 'a> Rebuild<'c, 'a> {
    fn typed(&self, emitter: Emitter<'c, 'a>, ty: Type<'c>, layout: Option<&DistributedLayout>) -> Type<'c> {
        match (layout, shape_of(ty)) {
            (Some(layout), Some(shape)) => tensor_type(emitter.location, &shape, element_type(ty), layout),
            _ => ty,
        }
    }

    /// The new value for an old one, in the layout if it is a tile.
    fn get(
        &self,
        op: OperationRef<'c, '_>,
        old: Value<'c, '_>,
        layout: Option<&DistributedLayout>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let missing = || {
            error_at(
                op,
                format!(
                    "an operand of '{}' comes from an operation without layouts",
                    name_of(op)
                ),
            )
        };
        match layout {
            None => self.scalars.get(&key(old)).copied().ok_or_else(missing),
            Some(layout) => {
                let made = self.tiles.get(&key(old)).ok_or_else(missing)?;
                made.iter()
                    .find(|(l, _)| l == layout)
                    .map(|(_, v)| *v)
                    .ok_or_else(missing)
            }
        }
    }

    /// Records a value that lives in its home, converted to every other layout in which it is wanted.
    fn define(
        &mut self,
        emitter: Emitter<'c, 'a>,
        old: Value<'c, '_>,
        new: Value<'c, 'a>,
        home: Option<DistributedLayout>,
    ) {
        let Some(home) = home else {
            self.scalars.insert(key(old), new);
            return;
        };
        let mut made = SmallVec::new();
        for wanted in self.demands.wanted.get(&key(old)).cloned().unwrap_or_default() {
            if wanted != home {
                let ty = self.typed(emitter, old.r#type(), Some(&wanted));
                made.push((wanted, emitter.tile_convert_layout(new, ty).result()));
            }
        }
        made.push((home, new));
        self.tiles.insert(key(old), made);
    }

    fn block(&mut self, emitter: Emitter<'c, 'a>, old: BlockRef<'c, '_>) -> PassResult<'c> {
        for op in ops_of(old) {
            self.op(emitter.at(op.location()), op)?;
        }
        Ok(())
    }

    fn op(&mut self, emitter: Emitter<'c, 'a>, op: OperationRef<'c, '_>) -> PassResult<'c> {
        let name = name_of(op);
        for ty in op
            .operands()
            .map(|v| v.r#type())
            .chain(op.results().map(|r| r.r#type()))
        {
            if let Ok(tensor) = melior::ir::r#type::RankedTensorType::try_from(ty)
                && tensor.encoding().is_some()
            {
                return Err(error_at(
                    op,
                    format!("{ty} has a layout already: this pass starts from tiles without"),
                ));
            }
        }
        if lives_at_home(&name) {
            return self.at_home(emitter, op);
        }
        if moves(op) {
            return self.moving(emitter, op);
        }
        let source = matches!(
            name.as_str(),
            ops::SPLAT | ops::RANGE | ops::PROGRAM_ID | ops::NUM_PROGRAMS
        );
        let reshapes = matches!(
            name.as_str(),
            ops::EXPAND_DIMS | ops::BROADCAST | ops::RESHAPE | ops::TRANSPOSE | ops::JOIN | ops::SPLIT
        );
        if !(is_elementwise(&name) || source || reshapes) {
            return Err(error_at(op, format!("'{name}' is unknown to layouts")));
        }
        let results: Vec<Value> = op.results().map(Value::from).collect();
        let types: Vec<Type> = results.iter().map(|result| result.r#type()).collect();
        if !types.iter().any(|ty| ty.is_ranked_tensor()) {
            let operands = op
                .operands()
                .map(|v| self.get(op, v, None))
                .collect::<Result<Vec<_>, _>>()?;
            let new = emitter.like(op, &operands, &types, Vec::new());
            for (index, &result) in results.iter().enumerate() {
                self.scalars.insert(key(result), result_of(new, index));
            }
            return Ok(());
        }
        for layout in self.demands.wanted_of_results(op) {
            let mut operands = Vec::new();
            for (index, value) in op.operands().enumerate() {
                let wanted = match value.r#type().is_ranked_tensor() {
                    false => None,
                    true => Some(operand_layout(op, &name, index, &layout)?),
                };
                operands.push(self.get(op, value, wanted.as_ref())?);
            }
            let types: Vec<Type> = types.iter().map(|&ty| self.typed(emitter, ty, Some(&layout))).collect();
            let new = match name.as_str() {
                "arith.constant" => {
                    let attributes = [("value", crate::ir::constant_as(op, types[0])?)];
                    emitter.op(&name, &[], &types, &attributes)
                }
                _ => emitter.like(op, &operands, &types, Vec::new()),
            };
            for (index, &result) in results.iter().enumerate() {
                let made = self.tiles.entry(key(result)).or_default();
                made.push((layout.clone(), result_of(new, index)));
            }
        }
        Ok(())
    }

    /// An operation that [`moves`] elements, from its operands' home to where that leaves them.
    fn moving(&mut self, emitter: Emitter<'c, 'a>, op: OperationRef<'c, '_>) -> PassResult<'c> {
        let mut operands = Vec::new();
        let mut operands_home = None;
        for value in op.operands() {
            operands_home = self.demands.home(op, value.r#type())?;
            operands.push(self.get(op, value, operands_home.as_ref())?);
        }
        let mut types = Vec::new();
        let mut layouts = Vec::new();
        for result in op.results() {
            let ty = result.r#type();
            let layout = match (TileOp::cast(op), &operands_home) {
                _ if !ty.is_ranked_tensor() => None,
                (Some(TileOp::Reduce(reduce)), Some(home)) => {
                    let sliced = home.slice(reduce.axis() as usize);
                    Some(sliced.map_err(|e| error_at(op, format!("no layout for the reduction's result: {e}")))?)
                }
                _ => self.demands.home(op, ty)?,
            };
            types.push(self.typed(emitter, ty, layout.as_ref()));
            layouts.push(layout);
        }
        let regions = blocks_of(op).into_iter().map(|block| copy_of_combine(emitter, block));
        let new = emitter.like(op, &operands, &types, regions.collect());
        for (index, (result, layout)) in op.results().zip(layouts).enumerate() {
            self.define(emitter, result.into(), result_of(new, index), layout);
        }
        Ok(())
    }

    fn at_home(&mut self, emitter: Emitter<'c, 'a>, op: OperationRef<'c, '_>) -> PassResult<'c> {
        let mut operands = Vec::new();
        for value in op.operands() {
            let home = self.demands.home(op, value.r#type())?;
            operands.push(self.get(op, value, home.as_ref())?);
        }
        let mut regions = Vec::new();
        for old in op.regions() {
            let Some(old) = old.first_block() else {
                regions.push(Region::new());
                continue;
            };
            let arguments: Vec<Value> = (0..old.argument_count()).map(|i| argument_of(old, i)).collect();
            let mut types = Vec::new();
            let mut homes = Vec::new();
            for argument in &arguments {
                let home = self.demands.home(op, argument.r#type())?;
                types.push(self.typed(emitter, argument.r#type(), home.as_ref()));
                homes.push(home);
            }
            let (region, block) = emitter.region(&types);
            let inner = emitter.inside(block);
            for (index, (argument, home)) in arguments.into_iter().zip(homes).enumerate() {
                self.define(inner, argument, argument_of(block, index), home);
            }
            self.block(inner, old)?;
            regions.push(region);
        }
        let mut types = Vec::new();
        let mut homes = Vec::new();
        for result in op.results() {
            let home = self.demands.home(op, result.r#type())?;
            types.push(self.typed(emitter, result.r#type(), home.as_ref()));
            homes.push(home);
        }
        let new = emitter.like(op, &operands, &types, regions);
        for (index, (result, home)) in op.results().zip(homes).enumerate() {
            self.define(emitter, result.into(), result_of(new, index), home);
        }
        Ok(())
    }
}
