//! `tile-allocate-shared`: where in shared memory buffers and exchanges between threads lie. Numerics do not change.
//!
//! How much each operation takes the conversion to the `gpu` stage says, which is asked for it. What is never needed at
//! one time may lie in one place (`place`). Operations get `tile.offset` and `tile.bytes`, and the kernel
//! `tile.shared_bytes`. `tile-insert-barriers` then sees which operations meet in a place.
//!
//! A kernel that takes more than a block can have is an error at the operation where it takes most, with a list of what
//! takes it.

mod liveness;
mod place;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, OperationRef, ValueLike};
use mytriton_tile::emit::result_of;
use mytriton_tile_sys as sys;

use crate::convert_tile_to_gpu::{
    self, ALIGNMENT, BUFFER_ALIGNMENT, BYTES, Need, OFFSET, SHARED_BYTES, STATIC_SHARED_BYTES, WITHIN_WARPS,
};
use crate::ir::{PassError, PassResult, int_attribute, kernels_of};
use liveness::Liveness;
use place::Item;

/// The attribute that says how much a kernel may take.
pub const LIMIT: &str = "tile.shared_limit";

/// Runs the pass on a module in the `layout` stage.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    sys::with_context(&module, |context| {
        kernels_of(module)
            .into_iter()
            .try_for_each(|kernel| plan(context, kernel))
    })
}

/// Plans the memory of one kernel.
///
/// # Errors
/// It takes more than there is, or cannot be converted.
pub fn plan<'c: 'a, 'a>(context: &'c Context, kernel: OperationRef<'c, 'a>) -> PassResult<'c> {
    let needs = convert_tile_to_gpu::needs(context, kernel)?;
    if needs.is_empty() {
        return Ok(());
    }
    let liveness = Liveness::of_kernel(kernel);
    let item = |need: &Need| Item {
        live: liveness.of(need.op, need.is_buffer),
        bytes: need.bytes,
        alignment: if need.is_buffer { BUFFER_ALIGNMENT } else { ALIGNMENT },
        is_use: !need.is_buffer,
    };
    let items: Vec<Item> = needs.iter().map(item).collect();
    let (mut offsets, mut total) = place::place(&items, true);
    if total > STATIC_SHARED_BYTES {
        (offsets, total) = place::place(&items, false);
    }
    let limit = int_attribute(kernel, LIMIT).map_or(STATIC_SHARED_BYTES, i64::unsigned_abs);
    if total > limit {
        return Err(too_much(&needs, &items, &liveness, [total, limit], kernel));
    }
    let number = |value: u64| Attribute::parse(context, &format!("{value} : i32")).expect("an integer attribute");
    for (need, offset) in needs.iter().zip(offsets) {
        let Some(op) = liveness.operation(need.op) else {
            continue;
        };
        sys::set_attribute(op, OFFSET, number(offset));
        sys::set_attribute(op, BYTES, number(need.bytes));
        if need.within_warps {
            sys::set_attribute(op, WITHIN_WARPS, Attribute::unit(context));
        }
    }
    sys::set_attribute(kernel, SHARED_BYTES, number(total));
    Ok(())
}

/// The error of a kernel that takes too much: at the operation that is the largest where it takes most.
fn too_much<'c: 'a, 'a>(
    needs: &[Need],
    items: &[Item],
    liveness: &Liveness<'c, 'a>,
    [total, limit]: [u64; 2],
    kernel: OperationRef<'c, 'a>,
) -> PassError<'c> {
    let live_at = |time: u32| {
        let all = needs.iter().zip(items);
        all.filter(move |(_, item)| item.live.0 <= time && time <= item.live.1)
            .map(|(need, _)| need)
    };
    let sum_at = |time: u32| live_at(time).map(|need| need.bytes).sum::<u64>();
    let worst = items
        .iter()
        .map(|item| item.live.0)
        .max_by_key(|&time| (sum_at(time), std::cmp::Reverse(time)));
    let worst = worst.unwrap_or_default();
    let mut live: Vec<&Need> = live_at(worst).collect();
    live.sort_by_key(|need| std::cmp::Reverse(need.bytes));
    let mut lines = String::new();
    for need in &live {
        let op = liveness.operation(need.op);
        let of = op.map(|op| format!(" of {}", tile_of(op))).unwrap_or_default();
        let at = op.and_then(|op| sys::place_text(op.location()));
        let at = at.map(|place| format!(" at {place}")).unwrap_or_default();
        lines += &format!("\n  {} bytes: {}{of}{at}", need.bytes, need.what);
    }
    let sum = sum_at(worst);
    let gaps = match total > sum {
        true => format!(
            "\n  {} bytes: gaps between them, and what lives at other times",
            total - sum
        ),
        false => String::new(),
    };
    let first = live.first().and_then(|need| liveness.operation(need.op));
    PassError {
        location: first.map_or(kernel.location(), |op| op.location()),
        message: format!(
            "the kernel takes {total} bytes of shared memory; {limit} are available: use a smaller tile, \
             or fewer at a time{lines}{gaps}"
        ),
    }
}

/// The type of the tile that an operation is about.
fn tile_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> String {
    let operand = op.operand(0).ok();
    let ty = match operand {
        Some(operand) => operand.r#type(),
        None if op.result_count() > 0 => result_of(op, 0).r#type(),
        None => return format!("'{}'", mytriton_tile::name_of(op)),
    };
    // Layouts are long, and nothing that a user has written.
    let text = ty.to_string();
    match text.split_once(", #") {
        Some((head, _)) => format!("{head}>"),
        None => text,
    }
}
