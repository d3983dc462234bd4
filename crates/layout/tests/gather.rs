//! Gathers within warps, carried out on the table of who owns what.

use mytriton_layout::{DistributedLayout, LinearLayout, WarpGather};
use proptest::prelude::*;

fn layout(text: &str) -> DistributedLayout {
    text.parse().unwrap()
}

/// Every thread finds what it wants for every index, in its warp.
fn carry_out(plan: &WarpGather, source: &DistributedLayout, index: &DistributedLayout, axis: usize) {
    for warp in 0..index.num_warps() {
        for lane in 0..index.num_lanes() {
            for register in 0..index.num_registers() {
                let mut wanted = index.coords(register, lane, warp);
                for named in 0..source.shape()[axis] {
                    wanted[axis] = named;
                    let of_thread = plan.lane_of_thread.apply_in_order(&[register, lane, warp])[0];
                    let from = of_thread ^ plan.lane_of_index.apply_in_order(&[named])[0];
                    let from = if plan.keeps_lanes { lane } else { from };
                    let bits = plan.choosing.iter().zip(0..);
                    let choice = bits.fold(0, |choice, (&bit, i)| choice | (named >> bit & 1) << i);
                    let held = plan.candidates[register as usize][choice as usize];
                    let found = source.coords(held, from, warp);
                    assert_eq!(found, wanted, "register {register}, lane {lane}, warp {warp}");
                }
            }
        }
    }
}

#[test]
fn rows_within_warps() {
    let rows =
        layout("{register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[8, 0]]}");
    let plan = WarpGather::new(&rows, &rows, 1).unwrap();
    assert_eq!(plan.choosing, [0]);
    assert_eq!(plan.candidates, [[0, 1], [0, 1], [2, 3], [2, 3]]);
    assert!(!plan.keeps_lanes);
    assert_eq!(plan.num_choices(), 2);
    assert_eq!(
        plan.lane_of_thread.to_string(),
        "{register = [[0], [0]], lane = [[0], [0], [0], [8], [16]], warp = [[0]]} -> {lane = 32}"
    );
    carry_out(&plan, &rows, &rows, 1);
    // More indices of a row than columns, and one.
    for other in [
        "{register = [[0, 1], [0, 16], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[8, 0]]}",
        "{register = [[4, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[8, 0]]}",
    ] {
        let other = layout(other);
        carry_out(&WarpGather::new(&rows, &other, 1).unwrap(), &rows, &other, 1);
    }
}

#[test]
fn what_a_thread_holds_itself() {
    let columns =
        layout("{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32]]}");
    let plan = WarpGather::new(&columns, &columns, 0).unwrap();
    assert!(plan.keeps_lanes);
    assert_eq!(plan.choosing, [0, 1]);
    assert_eq!(plan.candidates, [[0, 1, 2, 3]; 4]);
    carry_out(&plan, &columns, &columns, 0);
    assert_eq!(WarpGather::new(&columns, &columns, 1), None, "a row is in two warps");
}

#[test]
fn tiles_that_every_warp_has() {
    let line = layout("{lane = [1, 2, 4, 8, 16], warp = [0, 0]}");
    let spread = layout("{register = [1], lane = [2, 4, 8, 16, 32], warp = [64, 128]}");
    let plan = WarpGather::new(&line, &spread, 0).unwrap();
    assert!(plan.choosing.is_empty() && !plan.keeps_lanes);
    carry_out(&plan, &line, &spread, 0);
    assert_eq!(WarpGather::new(&spread, &line, 0), None);
}

#[test]
fn what_is_elsewhere() {
    let rows = layout("{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0]]}");
    for (other, why) in [
        (
            "{register = [[0, 1]], lane = [[0, 2], [0, 4], [4, 0], [2, 0]], warp = [[1, 0]]}",
            "rows are in other warps",
        ),
        (
            "{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]]}",
            "more warps",
        ),
        (
            "{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0]], block = [[8, 0]]}",
            "blocks",
        ),
        ("{register = [1], lane = [2, 4, 8, 16], warp = [32]}", "another rank"),
    ] {
        assert_eq!(WarpGather::new(&rows, &layout(other), 1), None, "{why}");
    }
    assert_eq!(WarpGather::new(&rows, &rows, 2), None);
    // Rows that the source has in registers and the index in lanes.
    let in_registers = layout("{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [2, 0]], warp = [[4, 0]]}");
    assert_eq!(WarpGather::new(&in_registers, &rows, 1), None);
}

/// A layout of a tile of 2^`bits` elements, a random permutation of its bits or a mixture of them, cut into rows.
fn layout_of(bits: usize, lanes: usize, warps: usize) -> impl Strategy<Value = DistributedLayout> {
    let steps = prop::collection::vec((0..bits, 0..bits, any::<bool>()), 0..2 * bits);
    (steps, 0..=bits, prop::collection::vec(any::<bool>(), lanes + warps)).prop_map(move |(steps, columns, copies)| {
        let mut bases: Vec<u32> = (0..bits).map(|bit| 1 << bit).collect();
        for (to, from, mixed) in steps {
            match (to == from, mixed) {
                (true, _) => {}
                (_, false) => bases.swap(to, from),
                (_, true) => bases[to] ^= bases[from],
            }
        }
        let mut bases = bases.into_iter();
        let mut take = |copied: bool| if copied { 0 } else { bases.next().unwrap_or(0) };
        let lane: Vec<u32> = copies[..lanes].iter().map(|&copied| take(copied)).collect();
        let warp: Vec<u32> = copies[lanes..].iter().map(|&copied| take(copied)).collect();
        let register: Vec<u32> = bases.collect();
        let cut = |list: Vec<u32>| {
            list.into_iter()
                .map(move |basis| [basis >> columns, basis & ((1 << columns) - 1)])
        };
        let ins = [("register", cut(register)), ("lane", cut(lane)), ("warp", cut(warp))];
        let outs = [("dim0", 1 << (bits - columns)), ("dim1", 1 << columns)];
        DistributedLayout::new(LinearLayout::from_bases(ins, &outs).unwrap()).unwrap()
    })
}

proptest! {
    #[test]
    fn plans_hold(source in layout_of(5, 2, 1), index in layout_of(5, 2, 1), axis in 0usize..2) {
        for index in [&source, &index] {
            if let Some(plan) = WarpGather::new(&source, index, axis) {
                carry_out(&plan, &source, index, axis);
            }
        }
    }
}
