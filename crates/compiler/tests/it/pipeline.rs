//! Whatever typed SSA takes compiles, for old and new GPUs, and the assembler takes it.

use mytriton_abi::Code;
use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_compiler::{CompileOptions, Target, compile};
use mytriton_ssa::{CmpPred, Elem, Kernel, Loc, OpId, OpKind, OptLevel, Scalar, Type, ValueId, optimise, verify};
use proptest::prelude::*;

use crate::{operations, tiles};

pub const TARGETS: [Target; 3] = [Target::Sm75, Target::Sm80, Target::Sm90a];

pub fn assert_compiles(kernel: &Kernel, target: Target, num_warps: u32, assembler: Option<&Ptxas>) {
    verify(kernel).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions {
        num_warps,
        ..CompileOptions::new(target)
    };
    let compiled = compile(kernel, &options).unwrap_or_else(|e| panic!("{e}\n{num_warps} warps\n{kernel}"));
    let Code::Ptx(text) = &compiled.kernel.code else {
        panic!("PTX is expected")
    };
    // Vectors stay in registers.
    assert!(!text.contains(".local"), "local memory:\n{kernel}\n{text}");
    if let Some(assembler) = assembler
        && let Err(e) = assembler.check(text, target)
    {
        panic!("{e}\n{kernel}\n{text}");
    }
}

/// How many random kernels: `MYTRITON_FUZZ_CASES`, or few enough for every day.
pub fn cases(usual: u32) -> ProptestConfig {
    let cases = std::env::var("MYTRITON_FUZZ_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(usual);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    }
}

/// Stores the result of every operation at the end of its region, so that nothing is dropped on the way.
fn keep_everything(kernel: &mut Kernel) {
    let mut regions = vec![kernel.body()];
    while let Some(region) = regions.pop() {
        let ops = kernel.region(region).ops.clone();
        let terminated = ops
            .last()
            .is_some_and(|&op| matches!(kernel.op(op).kind, OpKind::Yield | OpKind::Condition));
        let end = ops.len() - usize::from(terminated);
        let mut kept = ops[..end].to_vec();
        for &op in &ops[..end] {
            // A combiner stores nothing.
            if !kernel.op(op).kind.is_isolated() {
                regions.extend(kernel.op(op).regions.iter().copied());
            }
            for result in kernel.op(op).results.clone() {
                keep(kernel, result, &mut kept);
            }
        }
        kept.extend_from_slice(&ops[end..]);
        kernel.region_mut(region).ops = kept;
    }
}

fn keep(kernel: &mut Kernel, value: ValueId, ops: &mut Vec<OpId>) {
    let ty = kernel.ty(value);
    let mut op = |kernel: &mut Kernel, kind: OpKind, operands: &[ValueId], results: &[Type]| -> Option<ValueId> {
        let made = kernel.new_op(
            kind,
            operands.iter().copied(),
            results.iter().copied(),
            [],
            Loc::UNKNOWN,
        );
        ops.push(made);
        kernel.op(made).results.first().copied()
    };
    // The parameters are one number and one pointer for each scalar type.
    let mut pointers = |kernel: &mut Kernel, to: Scalar| {
        let base = kernel.params()[2 * to as usize + 1].value;
        let tile = Type::ptr(to).with_shape(ty.shape);
        if ty.is_scalar() {
            base
        } else {
            op(kernel, OpKind::Splat, &[base], &[tile]).unwrap_or(base)
        }
    };
    match ty.elem {
        Elem::Scalar(scalar) => {
            let at = pointers(kernel, scalar);
            op(kernel, OpKind::Store, &[at, value], &[]);
        }
        Elem::Ptr(to) => {
            let other = pointers(kernel, to);
            let at = pointers(kernel, Scalar::I1);
            let same = op(
                kernel,
                OpKind::Cmp(CmpPred::Eq),
                &[value, other],
                &[Type::I1.with_shape(ty.shape)],
            );
            op(kernel, OpKind::Store, &[at, same.unwrap_or(value)], &[]);
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn kernels_of_tiles(
        data in prop::collection::vec(any::<u32>(), 1..80),
        target in prop::sample::select(&TARGETS),
        warps in 0u32..5,
        optimised in any::<bool>(),
    ) {
        let mut kernel = tiles::generate(&data);
        if optimised {
            optimise(&mut kernel, OptLevel::Full);
        }
        assert_compiles(&kernel, target, 1 << warps, Ptxas::find_for_tests().as_ref());
    }

    #[test]
    fn kernels_of_every_operation(
        data in prop::collection::vec(any::<u32>(), 1..200),
        target in prop::sample::select(&TARGETS),
        warps in 0u32..5,
    ) {
        let mut kernel = operations::generate(&data);
        keep_everything(&mut kernel);
        assert_compiles(&kernel, target, 1 << warps, Ptxas::find_for_tests().as_ref());
    }
}
