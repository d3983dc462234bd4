//! Fuzzes the optimiser and text form of typed SSA: `fuzz [SEED [CASES [DIRECTORY]]]`. Findings are written to the
//! directory, by default the current one.

use std::process::ExitCode;

use mytriton_fuzz::{Fuzzer, Limit};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| match args.get(index).map(|text| text.parse()) {
        None => Some(default),
        Some(parsed) => parsed.ok(),
    };
    let (Some(seed), Some(cases)) = (number(0, 0), number(1, 10_000)) else {
        eprintln!("usage: fuzz [SEED [CASES [DIRECTORY]]]");
        return ExitCode::from(2);
    };
    let mut fuzzer = Fuzzer::new(seed);
    fuzzer.limit = Limit::Cases(cases as usize);
    let (statistics, findings) = fuzzer.run(&mut |_| ());
    print!("{statistics}");
    for (number, finding) in findings.iter().enumerate() {
        let path = std::path::Path::new(args.get(2).map_or(".", |d| d)).join(format!("finding-{number}.ssa"));
        println!("{}: {}: {}", path.display(), finding.executor, finding.problem);
        if let Err(error) = std::fs::write(&path, finding.to_text()) {
            eprintln!("{}: {error}", path.display());
        }
    }
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
