//! Registers of an operand that an operation without movement reads.

use mytriton_layout::{DistributedLayout, FragmentError, LinearLayout, source_registers};
use proptest::prelude::*;

use crate::executed::random_layout;
use crate::layout;
use crate::values::coords;

/// Every register of every thread names one of the operand's in the same thread, the lowest, with its source.
fn reads_its_source(from: &DistributedLayout, to: &DistributedLayout, source: impl Fn(&[u32]) -> Vec<u32>) {
    let registers = source_registers(from, to, &source).unwrap();
    assert_eq!(registers.len() as u32, to.num_registers());
    for thread in 0..to.num_lanes() * to.num_warps() {
        for (&register, own) in registers.iter().zip(0..) {
            let wanted = source(&coords(to, thread, own));
            assert_eq!(coords(from, thread, register)[..], wanted);
            assert!(
                (0..register).all(|lower| coords(from, thread, lower)[..] != wanted),
                "the lowest"
            );
        }
    }
}

#[test]
fn movement_is_refused() {
    let from = layout("{register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [[4, 0]]}");
    let refused = |text: &str| source_registers(&from, &layout(text), <[u32]>::to_vec).unwrap_err();
    let told = |text: &str| refused(text).to_string();
    assert_eq!(
        told("{register = [[0, 1]], lane = [[1, 0], [4, 0]], warp = [[2, 0]]}"),
        "lane bit 1 of the operand's layout differs from the result's"
    );
    assert_eq!(
        refused("{register = [[0, 1], [4, 0]], lane = [[1, 0], [2, 0]], warp = [[0, 0]]}"),
        FragmentError::ThreadBit { input: "warp", bit: 0 }
    );
    assert_eq!(
        told("{register = [[0, 1], [8, 0]], lane = [[1, 0], [2, 0]], warp = [[4, 0]]}"),
        "the operand's layout does not hold what the result's needs"
    );
    assert_eq!(
        told("{register = [[0, 1], [4, 0]], lane = [[1, 0], [2, 0]]}"),
        "the operand's layout is of another number of warps than the result's"
    );
}

/// Elements in slots of another order are found: a choice of registers, the same in all threads.
#[test]
fn slots_in_another_order() {
    let (a, b) = (
        layout("{register = [1, 2], lane = [4]}"),
        layout("{register = [2, 1, 0], lane = [4]}"),
    );
    assert_eq!(
        source_registers(&a, &b, <[u32]>::to_vec),
        Ok(vec![0, 2, 1, 3, 0, 2, 1, 3])
    );
    assert_eq!(source_registers(&b, &a, <[u32]>::to_vec), Ok(vec![0, 2, 1, 3]));
    // A source that is not linear, but affine: the mirror image.
    assert_eq!(source_registers(&a, &a, |at| vec![at[0] ^ 3]), Ok(vec![3, 2, 1, 0]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn operands_of_broadcasts_and_transposes(l in random_layout(), axis in 0usize..2) {
        let mut shape = l.shape();
        shape[axis] = 1;
        let stretched = |at: &[u32]| {
            let mut at = at.to_vec();
            at[axis] = 0;
            at
        };
        reads_its_source(&l.broadcast_operand(&shape).unwrap(), &l, stretched);
        let transposed = |at: &[u32]| vec![at[1], at[0]];
        reads_its_source(&l, &l.permute(&[1, 0]).unwrap(), transposed);
    }

    /// Between layouts of other lanes an answer, if there is one, is right.
    #[test]
    fn answers_are_right(a in random_layout(), b in random_layout()) {
        if source_registers(&a, &b, <[u32]>::to_vec).is_ok() {
            reads_its_source(&a, &b, <[u32]>::to_vec);
        }
    }

    /// Registers of the operand may be permuted and repeated.
    #[test]
    fn permuted_registers_are_found(l in random_layout(), order in Just(vec![0usize, 1, 2]).prop_shuffle()) {
        let linear = l.linear();
        let registers: Vec<_> = order.iter().map(|&bit| linear.basis("register", bit as u32).unwrap()).collect();
        let others = ["lane", "warp"].map(|input| (input, linear.bases(input).collect::<Vec<_>>()));
        let ins = [("register", registers)].into_iter().chain(others);
        let shuffled = LinearLayout::from_bases(ins, &[("dim0", 16), ("dim1", 16)]).unwrap();
        reads_its_source(&DistributedLayout::new(shuffled).unwrap(), &l, <[u32]>::to_vec);
    }
}
