//! What every generated case promises.

use mytriton_fuzz::{Case, Verdict, built_in, examine, generate, has_conflicting_stores, oracle, rules};

/// A case runs, has one outcome, and says how to compare it.
#[test]
fn cases_keep_their_promises() {
    for seed in 0..400 {
        check(seed, &generate(seed));
    }
}

fn check(seed: u64, case: &Case) {
    let outputs = oracle(case).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", case.kernel));
    let found = rules(case).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", case.kernel));
    let stated: Vec<_> = case.buffers.iter().map(|b| b.rule).collect();
    assert_eq!(found, stated, "seed {seed}\n{}", case.kernel);
    assert_eq!(has_conflicting_stores(case), Ok(false), "seed {seed}\n{}", case.kernel);
    let before: Vec<_> = case.buffers.iter().map(|b| &b.bytes).collect();
    assert!(
        outputs.iter().zip(before).any(|(after, before)| after != before),
        "seed {seed}: nothing was written\n{}",
        case.kernel
    );
    for executor in built_in() {
        let verdict = examine(&*executor, case, &outputs);
        assert_eq!(
            verdict,
            Verdict::Agrees,
            "seed {seed}, {}\n{}",
            executor.name(),
            case.kernel
        );
    }
}

#[test]
fn a_seed_decides_the_case() {
    for seed in [0, 1, 77, u64::MAX] {
        let [a, b] = [(); 2].map(|()| generate(seed));
        assert_eq!(a.kernel.to_string(), b.kernel.to_string());
        assert_eq!(
            (a.buffers, a.args, a.grid, a.num_warps),
            (b.buffers, b.args, b.grid, b.num_warps)
        );
    }
    assert_ne!(generate(1).kernel.to_string(), generate(2).kernel.to_string());
}
