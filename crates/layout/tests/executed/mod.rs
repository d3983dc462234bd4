//! What instructions do to elements, one by one; and random layouts.

// Each test has its own copy, and uses a part.
#![allow(dead_code)]

use mytriton_layout::staging::{
    Access, Form, MatrixAccess, access_ways, accesses, enumerated_ways, held as held_of_matrix, offsets,
};
use mytriton_layout::{DistributedLayout, LinearLayout};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Lane and warp of every thread.
pub fn threads(layout: &DistributedLayout) -> impl Iterator<Item = (u32, u32)> + use<> {
    let lanes = layout.num_lanes();
    (0..layout.num_warps()).flat_map(move |warp| (0..lanes).map(move |lane| (lane, warp)))
}

/// The offset, in elements, at which each register of each lane of each warp is accessed.
pub fn places(
    threads: &DistributedLayout,
    shared: &LinearLayout,
    access: Access,
    bytes: u32,
) -> BTreeMap<(u32, u32, u32), u32> {
    assert!(access.bytes(bytes) <= 16);
    match access.form {
        Form::Vector(vector) => {
            assert_eq!(access_ways(threads, shared, bytes, vector).unwrap(), access.ways);
            assert_eq!(enumerated_ways(threads, shared, bytes, vector).unwrap(), access.ways);
            assert!(accesses(threads, shared, vector).is_ok());
            let map = offsets(threads, shared).unwrap();
            let all = self::threads(threads).flat_map(|(lane, warp)| {
                let of = move |register| (register, lane, warp);
                (0..threads.num_registers()).map(of)
            });
            all.map(|(register, lane, warp)| {
                let offset = map.apply_in_order(&[register, lane, warp])[0];
                ((register, lane, warp), offset)
            })
            .collect()
        }
        Form::Matrices { count, transposed } => {
            let matrices = MatrixAccess::new(threads, shared, bytes, transposed)
                .unwrap()
                .expect("it fits");
            assert_eq!((matrices.count, matrices.ways), (count, access.ways));
            by_matrices(threads, &matrices, bytes)
        }
    }
}

/// What the instructions do, from the addresses that lanes give to the elements in their words.
pub fn by_matrices(threads: &DistributedLayout, matrices: &MatrixAccess, bytes: u32) -> BTreeMap<(u32, u32, u32), u32> {
    assert_eq!(matrices.enumerated_ways(bytes), matrices.ways);
    let mut places = BTreeMap::new();
    for (instruction, warp) in matrices
        .instructions
        .iter()
        .flat_map(|instruction| (0..threads.num_warps()).map(move |warp| (instruction, warp)))
    {
        assert_eq!(instruction.words.len() as u32, matrices.count);
        let address = |lane: u32| (matrices.rows.apply_in_order(&[0, lane, warp])[0] ^ instruction.offset) * bytes;
        assert!((0..32).all(|lane| address(lane).is_multiple_of(16)));
        for (matrix, word) in (0..).zip(&instruction.words) {
            assert_eq!(word.len() as u32 * bytes, 4);
            for (lane, (at, &register)) in (0..32).flat_map(|lane| (0..).zip(word).map(move |part| (lane, part))) {
                let byte: u32 = at * bytes;
                let (row, column) = held_of_matrix(lane, byte / 2, matrices.transposed);
                let place = address(8 * matrix + row) + 2 * column + byte % 2;
                assert!(place.is_multiple_of(bytes));
                if let Some(before) = places.insert((register, lane, warp), place / bytes) {
                    panic!("register {register} moves twice, to {before} and {place}");
                }
                if bytes == 4 {
                    assert_eq!(
                        held_of_matrix(lane, 1, matrices.transposed),
                        (row, column + 1),
                        "the word is whole"
                    );
                }
            }
        }
    }
    places
}

/// A random layout of 2^`size` elements: a random invertible matrix whose columns go to register, lane and warp bits,
/// among random replicas.
pub fn layout_of(size: usize, lanes: usize, warps: usize) -> impl Strategy<Value = DistributedLayout> {
    let steps = prop::collection::vec((0..size, 0..size), 0..3 * size);
    let bits = prop::collection::vec(any::<bool>(), lanes + warps);
    (
        steps,
        bits,
        any::<bool>(),
        prop::collection::vec(0..1u32 << size, lanes + warps + 2),
    )
        .prop_map(move |(steps, copied, plain, extra)| {
            let mut bases: Vec<u32> = (0..size).map(|bit| 1 << bit).collect();
            for (to, from) in steps {
                match (to == from, plain) {
                    (true, _) => {}
                    // Permutations alone, as most layouts are.
                    (_, true) => bases.swap(to, from),
                    (_, false) => bases[to] ^= bases[from],
                }
            }
            // Bits that own nothing new: zero, or anything.
            let of_copy = |i: usize| if extra[i] % 2 == 0 { 0 } else { extra[i] };
            let mut rest = bases.into_iter();
            let mut threads: Vec<u32> = Vec::new();
            for (i, &copied) in copied.iter().enumerate() {
                let own = if copied && i % 3 == 0 { None } else { rest.next() };
                threads.push(own.unwrap_or_else(|| of_copy(i)));
            }
            let mut registers: Vec<u32> = rest.collect();
            for i in 0..2 {
                if extra[lanes + warps + i] % 3 == 0 {
                    let at = extra[lanes + warps + i] as usize % (registers.len() + 1);
                    registers.insert(at, of_copy(lanes + warps + i));
                }
            }
            let warp = threads.split_off(lanes);
            let bases = |list: Vec<u32>| list.into_iter().map(|basis| [basis]).collect::<Vec<_>>();
            let ins = [
                ("register", bases(registers)),
                ("lane", bases(threads)),
                ("warp", bases(warp)),
            ];
            DistributedLayout::new(LinearLayout::from_bases(ins, &[("dim0", 1 << size)]).expect("in range"))
                .expect("all columns are there")
        })
}
