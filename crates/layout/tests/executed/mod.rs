//! What instructions do to elements, one by one; and random layouts.

// Each test has its own copy, and uses a part.
#![allow(dead_code)]

use mytriton_layout::staging::{
    Access, Form, MatrixAccess, MatrixInstruction, access_ways, accesses, held as held_of_matrix, offsets,
};
use mytriton_layout::{DistributedLayout, LinearLayout};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Lane and warp of every thread.
pub fn threads(layout: &DistributedLayout) -> impl Iterator<Item = (u32, u32)> + use<> {
    let lanes = layout.num_lanes();
    (0..layout.num_warps()).flat_map(move |warp| (0..lanes).map(move |lane| (lane, warp)))
}

/// The conflict of one access of `bytes` at each lane's byte address: how many words the busiest bank serves. So many
/// lanes are served at once as have 128 bytes together.
pub fn ways(addresses: &[u32], bytes: u32) -> u32 {
    let words_per_lane = bytes.div_ceil(4);
    let conflict = |lanes: &[u32]| {
        let words = lanes
            .iter()
            .flat_map(|address| (0..words_per_lane).map(move |i| address / 4 + i));
        let mut banks: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for word in words {
            banks.entry(word % 32).or_default().insert(word);
        }
        banks.values().map(BTreeSet::len).max().unwrap_or(1) as u32
    };
    let served = addresses.chunks(32 / words_per_lane as usize);
    served.map(conflict).max().unwrap_or(1)
}

/// The conflict of accesses of `vector` elements, from every address of every access of every warp.
pub fn enumerated_ways(threads: &DistributedLayout, shared: &LinearLayout, bytes: u32, vector: u32) -> u32 {
    let map = offsets(threads, shared).unwrap().flatten_outs("offset").unwrap();
    let accesses = accesses(threads, shared, vector).unwrap();
    let warps = accesses
        .iter()
        .flat_map(|group| (0..threads.num_warps()).map(|warp| (group[0], warp)));
    let conflict = |(register, warp)| {
        let lanes = 0..threads.num_lanes();
        let addresses: Vec<u32> = lanes
            .map(|lane| map.apply_in_order(&[register, lane, warp])[0] * bytes)
            .collect();
        ways(&addresses, vector * bytes)
    };
    warps.map(conflict).max().unwrap_or(1)
}

/// The conflict of matrix accesses, from the address of every row of every instruction of every warp.
fn enumerated_matrix_ways(matrices: &MatrixAccess, bytes: u32) -> u32 {
    let warps = 0..matrices.rows.in_size("warp");
    let all = matrices
        .instructions
        .iter()
        .flat_map(|instruction| warps.clone().map(move |warp| (instruction, warp)));
    let conflict = |(instruction, warp): (&MatrixInstruction, u32)| {
        let row = |lane| (matrices.rows.apply_in_order(&[0, lane, warp])[0] ^ instruction.offset) * bytes;
        ways(&(0..8 * matrices.count).map(row).collect::<Vec<_>>(), 16)
    };
    all.map(conflict).max().unwrap_or(1)
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
            assert_eq!(enumerated_ways(threads, shared, bytes, vector), access.ways);
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
    assert_eq!(enumerated_matrix_ways(matrices, bytes), matrices.ways);
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

/// A random owner of a 16x16 tile: a bijection of 2^8 indices with a few replicas.
pub fn random_layout() -> impl Strategy<Value = DistributedLayout> {
    let steps = prop::collection::vec((0usize..8, 0usize..8), 0..40);
    (steps, prop::collection::vec(any::<u8>(), 2), any::<[bool; 2]>()).prop_map(|(steps, extra, zero)| {
        let mut bases: Vec<u8> = (0..8).map(|bit| 1 << bit).collect();
        for (to, from) in steps {
            if to != from {
                bases[to] ^= bases[from];
            }
        }
        let at = |b: u8| [u32::from(b & 15), u32::from(b >> 4)];
        let extra: Vec<u8> = extra
            .into_iter()
            .zip(zero)
            .map(|(x, zero)| if zero { 0 } else { x })
            .collect();
        let register = [at(bases[0]), at(extra[0]), at(bases[1])].to_vec();
        let lane = [bases[2], bases[3], extra[1], bases[4], bases[5]].map(at).to_vec();
        let warp = [bases[6], bases[7]].map(at).to_vec();
        let ins = [("register", register), ("lane", lane), ("warp", warp)];
        DistributedLayout::new(LinearLayout::from_bases(ins, &[("dim0", 16), ("dim1", 16)]).expect("in range"))
            .expect("the bijection spans the tile")
    })
}
