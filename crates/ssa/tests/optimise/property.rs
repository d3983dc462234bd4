//! Random kernels: what an optimised one stores is what the original stores.

use std::collections::BTreeSet;

use mytriton_ssa::{OptLevel, UnaryOp};
use proptest::prelude::*;

use crate::cases::optimised;
use crate::generate::{BUFFER, generate};
use crate::machine::Memory;
use crate::memory::{arguments, refines, run};
use crate::unrunnable;

/// Compares memory after the kernel and after its optimised forms; false if the kernel has no checkable meaning.
fn agrees(data: &[u32], seed: u32) -> bool {
    let kernel = generate(data);
    let (args, start) = arguments(&kernel, seed, BUFFER);
    let mut expected = start.clone();
    if run(&kernel, &args, &mut expected).is_err() {
        return false;
    }
    for level in [OptLevel::Basic, OptLevel::Full] {
        let after = optimised(&kernel, level);
        let mut found: Memory = start.clone();
        run(&after, &args, &mut found).unwrap_or_else(|e| panic!("{e}\n{kernel}\nbecomes\n{after}"));
        assert!(
            refines(&expected, &found),
            "{level:?}: other results\n{kernel}\nbecomes\n{after}"
        );
        assert!(
            after.ops_in_order().len() <= kernel.ops_in_order().len(),
            "{level:?} made it longer\n{kernel}\nbecomes\n{after}"
        );
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 6000, ..ProptestConfig::default() })]

    #[test]
    fn optimised_kernels_store_the_same(data in prop::collection::vec(any::<u32>(), 0..300), seed: u32) {
        prop_assume!(agrees(&data, seed));
    }

    /// With every operation, not made to run: the result is valid, and optimising it again changes nothing.
    #[test]
    fn optimised_kernels_are_valid_and_final(kernel in unrunnable::kernels()) {
        optimised(&kernel, OptLevel::Basic);
        optimised(&kernel, OptLevel::Full);
    }
}

/// The generator makes what the property is about, and most of it runs.
#[test]
fn generated_kernels_are_varied() {
    let mut state = 7u32;
    let (mut kinds, mut ran) = (BTreeSet::new(), 0);
    for seed in 0..100 {
        let data: Vec<u32> = (0..300)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 8
            })
            .collect();
        let kernel = generate(&data);
        kinds.extend(kernel.ops_in_order().iter().map(|&op| kernel.op(op).kind.name()));
        let (args, mut memory) = arguments(&kernel, seed, BUFFER);
        ran += u32::from(run(&kernel, &args, &mut memory).is_ok());
    }
    for name in [
        "for",
        "if",
        "while",
        "load",
        "store",
        "select",
        "fma",
        "cmp",
        "rem_s",
        "ftrunc",
        "broadcast",
        "reduce",
        "scan",
        "reshape",
        "transpose",
        "join",
        "split",
        "gather",
        "histogram",
    ] {
        assert!(kinds.contains(name), "{name} is missing");
    }
    assert!(UnaryOp::ALL.iter().all(|op| kinds.contains(op.name())), "{kinds:?}");
    assert!(ran >= 50, "only {ran} of 100 ran");
}
