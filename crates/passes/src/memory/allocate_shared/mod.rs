//! `tile-allocate-shared`: where in shared memory buffers and exchanges between threads lie. Numerics do not change.
//!
//! How much each operation takes, its [`Footprint`] says. What is never needed at one time may lie in one place
//! (`place`). Operations get `tile.offset` and `tile.bytes`, and the kernel
//! `tile.shared_bytes`. `tile-insert-barriers` then sees which operations meet in a place.
//!
//! A kernel that takes more than a block can have is an error at the operation where it takes most, with a list of what
//! takes it.

mod place;

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, OperationRef, Type, ValueLike};
use mytriton_tile::emit::{element_type, result_of, shape_of};
use mytriton_tile_sys as sys;

use crate::analyses::liveness::Liveness;
use crate::interfaces::shared_memory::{Footprint, Lifetime, footprints_of};
use crate::ir::{PassError, PassResult, int_attribute, kernels_of};
use crate::memory::{BYTES, OFFSET, SHARED_BYTES, STATIC_SHARED_BYTES, WITHIN_WARPS};
use place::Item;

/// The attribute that says how much a kernel may take.
pub const LIMIT: &str = "tile.shared_limit";

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    sys::with_context(&module, |context| {
        kernels_of(module)
            .into_iter()
            .try_for_each(|kernel| allocate(context, kernel))
    })
}

/// Allocates the memory of one kernel.
fn allocate<'c: 'a, 'a>(context: &'c Context, kernel: OperationRef<'c, 'a>) -> PassResult<'c> {
    let footprints = footprints_of(kernel)?;
    if footprints.is_empty() {
        return Ok(());
    }
    let liveness = Liveness::of_kernel(kernel);
    let item = |(op, footprint): &(OperationRef<'c, 'a>, Footprint)| Item {
        live: liveness.of(*op, footprint.lifetime),
        bytes: footprint.bytes,
        alignment: footprint.alignment(),
        is_use: footprint.lifetime == Lifetime::Operation,
    };
    let items: Vec<Item> = footprints.iter().map(item).collect();
    let (mut offsets, mut total) = place::place(&items, true);
    if total > STATIC_SHARED_BYTES {
        (offsets, total) = place::place(&items, false);
    }
    let limit = int_attribute(kernel, LIMIT).map_or(STATIC_SHARED_BYTES, i64::unsigned_abs);
    if total > limit {
        return Err(too_much(&footprints, &items, [total, limit], kernel));
    }
    let i32_type: Type = IntegerType::new(context, 32).into();
    let number = |value: u64| IntegerAttribute::new(i32_type, value as i64).into();
    for ((op, footprint), offset) in footprints.iter().zip(offsets) {
        sys::set_attribute(*op, OFFSET, number(offset));
        sys::set_attribute(*op, BYTES, number(footprint.bytes));
        if footprint.within_warps {
            sys::set_attribute(*op, WITHIN_WARPS, Attribute::unit(context));
        }
    }
    sys::set_attribute(kernel, SHARED_BYTES, number(total));
    Ok(())
}

/// The error of a kernel that takes too much: at the operation that is the largest where it takes most.
fn too_much<'c: 'a, 'a>(
    footprints: &[(OperationRef<'c, 'a>, Footprint)],
    items: &[Item],
    [total, limit]: [u64; 2],
    kernel: OperationRef<'c, 'a>,
) -> PassError<'c> {
    let live_at = |time: u32| {
        let all = footprints.iter().zip(items);
        all.filter(move |(_, item)| item.live.0 <= time && time <= item.live.1)
            .map(|(taken, _)| taken)
    };
    let sum_at = |time: u32| live_at(time).map(|(_, footprint)| footprint.bytes).sum::<u64>();
    let worst = items
        .iter()
        .map(|item| item.live.0)
        .max_by_key(|&time| (sum_at(time), std::cmp::Reverse(time)));
    let worst = worst.unwrap_or_default();
    let mut live: Vec<_> = live_at(worst).collect();
    live.sort_by_key(|(_, footprint)| std::cmp::Reverse(footprint.bytes));
    let mut lines = String::new();
    for (op, footprint) in &live {
        let at = sys::place_text(op.location()).map(|place| format!(" at {place}"));
        lines += &format!(
            "\n  {} bytes: {} of {}{}",
            footprint.bytes,
            footprint.what,
            tile_of(*op),
            at.unwrap_or_default()
        );
    }
    let sum = sum_at(worst);
    let gaps = match total > sum {
        true => format!(
            "\n  {} bytes: gaps between them, and what lives at other times",
            total - sum
        ),
        false => String::new(),
    };
    let first = live.first().map(|(op, _)| op);
    PassError {
        location: first.map_or(kernel.location(), |op| op.location()),
        message: format!(
            "the kernel takes {total} bytes of shared memory; {limit} are available: use a smaller tile, \
             or fewer at a time{lines}{gaps}"
        ),
    }
}

/// The type of the tile that an operation is about, without its layout: that is long, and nothing that a user has written.
fn tile_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> String {
    let ty = match op.operand(0) {
        Ok(operand) => operand.r#type(),
        Err(_) if op.result_count() > 0 => result_of(op, 0).r#type(),
        Err(_) => return format!("'{}'", mytriton_tile::name_of(op)),
    };
    if let Some(buffer) = sys::BufferRef::new(ty) {
        let extents: String = buffer.shape().iter().map(|extent| format!("{extent}x")).collect();
        return format!("!tile.buffer<{extents}{}>", buffer.element());
    }
    match shape_of(ty) {
        Some(shape) => RankedTensorType::new(&shape, element_type(ty), None).to_string(),
        None => ty.to_string(),
    }
}
