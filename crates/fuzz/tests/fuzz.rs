//! A short run with the built-in executors, the corpus, and the driver itself.

use std::path::Path;
use std::time::Duration;

use mytriton_fuzz::{
    Case, Executor, Failure, Fuzzer, Limit, Optimised, Outputs, Problem, Verdict, built_in, examine,
    has_conflicting_stores, interpret, oracle, read_corpus, rules, seed_of,
};
use mytriton_ssa::OptLevel;

#[test]
fn a_short_run_finds_nothing() {
    let mut fuzzer = Fuzzer::new(20_26);
    fuzzer.limit = Limit::Cases(150);
    let mut heard = 0;
    let (statistics, findings) = fuzzer.run(&mut |so_far| heard = so_far.cases);
    for finding in &findings {
        println!("{}", finding.to_text());
    }
    assert!(findings.is_empty() && statistics.refused.is_empty(), "{statistics}");
    assert_eq!((statistics.cases, heard), (150, 150));
    assert_eq!(statistics.executors.len(), built_in().len());
    assert!(
        statistics.executors.values().all(|runs| runs.agreed == 150),
        "{statistics}"
    );
    println!("{statistics}");
}

#[test]
fn the_corpus_agrees() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let corpus = read_corpus(&directory).unwrap_or_else(|e| panic!("{e}"));
    let embedded = mytriton_fuzz::corpus().unwrap_or_else(|e| panic!("{e}"));
    assert!(
        corpus
            .iter()
            .map(|case| &case.0)
            .eq(embedded.iter().map(|case| &case.0))
    );
    assert!(corpus.len() >= 12, "{} cases", corpus.len());
    for (name, case) in corpus {
        let expected = oracle(&case).unwrap_or_else(|e| panic!("{name}: {e}"));
        let stated: Vec<_> = case.buffers.iter().map(|buffer| buffer.rule).collect();
        assert_eq!(rules(&case).as_ref(), Ok(&stated), "{name}");
        assert_eq!(has_conflicting_stores(&case), Ok(false), "{name}");
        for executor in built_in() {
            let verdict = examine(&*executor, &case, &expected);
            assert_eq!(verdict, Verdict::Agrees, "{name}, {}", executor.name());
        }
    }
}

/// What an executor can do to a fuzzer: panic, refuse, forget a buffer.
struct Bad(fn(&Case) -> Result<Outputs, Failure>);

impl Executor for Bad {
    fn name(&self) -> String {
        "bad".to_owned()
    }

    fn run(&self, case: &Case) -> Result<Outputs, Failure> {
        (self.0)(case)
    }
}

fn run_bad(run: fn(&Case) -> Result<Outputs, Failure>) -> (mytriton_fuzz::Runs, Option<Problem>) {
    let mut fuzzer = Fuzzer::new(3);
    fuzzer.limit = Limit::Cases(4);
    fuzzer.max_findings = 1;
    fuzzer.shrink_attempts = 30;
    fuzzer.executors = vec![Box::new(Bad(run)), Box::new(Optimised(OptLevel::Basic))];
    let (statistics, findings) = fuzzer.run(&mut |_| ());
    let found = findings.into_iter().next().map(|finding| finding.problem);
    (statistics.executors["bad"], found)
}

#[test]
fn executors_may_be_bad() {
    let (runs, found) = run_bad(|_| Err(Failure::Unsupported("everything".to_owned())));
    assert_eq!((runs.unsupported, found), (4, None));
    let (runs, found) = run_bad(|_| Err(Failure::Translation("no".to_owned())));
    assert_eq!(
        (runs.problems, found),
        (4, Some(Problem::Failure(Failure::Translation("no".to_owned()))))
    );
    let (_, found) = run_bad(|case| {
        let mut outputs = interpret(case, &case.kernel, false)?;
        outputs.pop();
        Ok(outputs)
    });
    assert!(matches!(found, Some(Problem::Mismatch(mismatch)) if mismatch.got == "0 bytes"));
    let (runs, found) = run_bad(|_| panic!("out of {}", "registers"));
    assert_eq!(
        (runs.problems, found),
        (4, Some(Problem::Failure(Failure::Panic("out of registers".to_owned()))))
    );
}

#[test]
fn time_ends_a_run() {
    let mut fuzzer = Fuzzer::new(4);
    fuzzer.limit = Limit::Time(Duration::from_millis(50));
    let (statistics, _) = fuzzer.run(&mut |_| ());
    assert!(statistics.cases > 0 && statistics.elapsed >= Duration::from_millis(50));
    fuzzer.limit = Limit::Time(Duration::ZERO);
    assert_eq!(fuzzer.run(&mut |_| ()).0.cases, 0);
}

/// Runs of neighbouring seeds have nothing in common.
#[test]
fn seeds_are_apart() {
    let seeds: std::collections::BTreeSet<u64> =
        (0..20).flat_map(|run| (0..50).map(move |i| seed_of(run, i))).collect();
    assert_eq!(seeds.len(), 1000);
}
