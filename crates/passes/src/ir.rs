//! Small readings of MLIR operations that the passes share.

use std::fmt;

use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{
    Attribute, AttributeLike, BlockRef, Location, Operation, OperationRef, Region, RegionLike, Type, Value, ValueLike,
};
use mytriton_layout::DistributedLayout;
use mytriton_layout::staging::Matrices;
use mytriton_tile::attributes;
use mytriton_tile::emit::{Emitter, argument_of, element_type, result_of};
use mytriton_tile::layout::layout_of;
use mytriton_tile::ops::{func, scf};
use mytriton_tile::types::ssa_scalar;
use mytriton_tile_sys as sys;
use rustc_hash::FxHashMap;

pub use mytriton_tile::name_of;

/// Why a pass failed: a message for the user at a source location.
#[derive(Clone, Debug)]
pub struct PassError<'c> {
    /// Where.
    pub location: Location<'c>,
    /// What, and what to do.
    pub message: String,
}

impl fmt::Display for PassError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// What a pass gives.
pub type PassResult<'c, T = ()> = Result<T, PassError<'c>>;

/// An error at an operation.
pub fn error_at<'c>(op: OperationRef<'c, '_>, message: impl Into<String>) -> PassError<'c> {
    PassError {
        location: op.location(),
        message: message.into(),
    }
}

/// A value's identity, for maps.
pub fn key(value: Value<'_, '_>) -> usize {
    value.to_raw().ptr as usize
}

/// An operation's identity, for maps.
pub fn op_key<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> usize {
    op.to_raw().ptr as usize
}

/// An integer attribute's value.
pub fn int_attribute(op: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    IntegerAttribute::try_from(op.attribute(name).ok()?)
        .ok()
        .map(|a| a.value())
}

/// The integer that a constant's attribute has in every element.
pub fn integer_everywhere(value: Attribute<'_>) -> Option<i64> {
    let element = match DenseElementsAttribute::try_from(value) {
        Ok(dense) if dense.is_splat() => dense.splat_value(),
        Ok(_) => return None,
        Err(_) => value,
    };
    IntegerAttribute::try_from(element).ok().map(|integer| integer.value())
}

/// The operations of a block, in order.
pub fn ops_of<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |op| op.next_in_block()).collect()
}

/// The blocks of an operation's regions; each region of the tile and scf dialects has at most one.
pub fn blocks_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<BlockRef<'c, 'a>> {
    op.regions().filter_map(|region| region.first_block()).collect()
}

/// The kernels of a module: every `func.func` with the attribute `tile.kernel`.
pub fn kernels_of<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let ops = blocks_of(module).into_iter().flat_map(ops_of);
    ops.filter(|op| func::FuncOp::cast(*op).is_some() && op.has_attribute(attributes::KERNEL))
        .collect()
}

/// Whether an operation is a loop: its body may run more than once.
pub fn is_loop(op: OperationRef<'_, '_>) -> bool {
    match scf::Op::cast(op) {
        Some(scf::Op::For(_) | scf::Op::While(_)) => true,
        Some(
            scf::Op::If(_)
            | scf::Op::IndexSwitch(_)
            | scf::Op::ExecuteRegion(_)
            | scf::Op::Condition(_)
            | scf::Op::Yield(_),
        )
        | None => false,
    }
}

/// The bytes that an element of what a pointer (or tensor of pointers) points to takes in memory.
pub fn pointee_bytes(ty: Type<'_>) -> Option<u64> {
    let pointee = sys::ptr_pointee(element_type(ty))?;
    ssa_scalar(pointee).map(|s| u64::from(s.bytes()))
}

/// How many warps run a program of this kernel: the attribute `tile.num_warps`, or 4.
pub fn num_warps_of(kernel: OperationRef<'_, '_>) -> u32 {
    int_attribute(kernel, attributes::NUM_WARPS)
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or(4)
}

/// The attribute of a kernel that says which GPU it is for: the compute capability, 10 x major + minor.
pub const CAPABILITY: &str = "tile.compute_capability";

/// The instructions for matrices in shared memory that the GPU has which a kernel is for; none if that is not said.
pub fn matrices_of(kernel: OperationRef<'_, '_>) -> Matrices {
    let capability = int_attribute(kernel, CAPABILITY).and_then(|n| u32::try_from(n).ok());
    Matrices::of_capability(capability.unwrap_or(0))
}

/// The layout of a tensor value; none for scalars; an error when the `layout` stage has not been reached.
pub fn layout_at<'c>(op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, Option<DistributedLayout>> {
    use melior::ir::r#type::TypeLike;
    if !ty.is_ranked_tensor() {
        return Ok(None);
    }
    match layout_of(ty) {
        Ok(Some(layout)) => Ok(Some(layout)),
        Ok(None) => Err(error_at(
            op,
            format!("{ty} of '{}' has no layout: run tile-assign-layouts first", name_of(op)),
        )),
        Err(e) => Err(error_at(op, format!("the layout of {ty}: {e}"))),
    }
}

/// The layout of a value that must be a tile; as [`layout_at`], and an error for scalars.
pub fn tile_layout_at<'c>(op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, DistributedLayout> {
    layout_at(op, ty)?.ok_or_else(|| error_at(op, "a tile is expected"))
}

/// Puts a function with a new body in the place of an old one; attributes and name stay.
pub fn replace_op<'c: 'a, 'a>(old: OperationRef<'c, 'a>, body: Region<'c>) {
    let attributes: Vec<_> = old.attributes().collect();
    let new = OperationBuilder::new(&name_of(old), old.location())
        .add_attributes(&attributes)
        .add_regions([body])
        .build()
        .expect("a function has no results to infer");
    put_in_place(old, new);
}

/// Puts an operation in the place of another one without results, which is destroyed.
pub fn put_in_place<'c: 'a, 'a>(old: OperationRef<'c, 'a>, new: Operation<'c>) {
    if let Some(block) = old.block() {
        block.insert_operation_before(old, new);
        remove(old);
    }
}

/// Destroys an operation whose results, if any, are not used.
pub fn remove<'c: 'a, 'a>(old: OperationRef<'c, 'a>) {
    let mut next = old.block().and_then(|block| block.first_operation_mut());
    while let Some(op) = next {
        if op.to_raw().ptr == old.to_raw().ptr {
            drop(sys::detach(op));
            return;
        }
        next = op.next_in_block_mut();
    }
}

/// The value of an `arith.constant` as a constant of another tile type with the same element type.
pub fn constant_as<'c>(op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, Attribute<'c>> {
    let value = op.attribute("value").map_err(|e| error_at(op, e.to_string()))?;
    if !value.is_dense_elements() {
        return Ok(value);
    }
    match DenseElementsAttribute::try_from(value) {
        Ok(dense) if dense.is_splat() => Ok(DenseElementsAttribute::splat(ty, dense.splat_value()).into()),
        Ok(_) => Err(error_at(
            op,
            "a constant tile has the same value everywhere: build others from tile.range",
        )),
        Err(_) => Ok(value),
    }
}

/// The same block in a new region: of a combiner, which takes nothing from outside and holds no regions.
pub fn copy_of_combiner<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, old: BlockRef<'c, '_>) -> Region<'c> {
    let arguments: Vec<Value> = (0..old.argument_count()).map(|i| argument_of(old, i)).collect();
    let types: Vec<Type> = arguments.iter().map(|argument| argument.r#type()).collect();
    let (region, block) = emitter.region(&types);
    let mut values: FxHashMap<usize, Value<'c, 'a>> = FxHashMap::default();
    for (index, &argument) in arguments.iter().enumerate() {
        values.insert(key(argument), argument_of(block, index));
    }
    for op in ops_of(old) {
        let operands: Vec<_> = op.operands().map(|value| values[&key(value)]).collect();
        let types: Vec<_> = op.results().map(|result| result.r#type()).collect();
        let inside = emitter.inside(block).at(op.location());
        let new = inside.like(op, &operands, &types, Vec::new());
        for (index, result) in op.results().enumerate() {
            values.insert(key(result.into()), result_of(new, index));
        }
    }
    region
}
