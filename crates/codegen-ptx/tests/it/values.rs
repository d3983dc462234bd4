//! Targets, the table of functions and the reader of ptxas's messages: values that need no compiler.

use mytriton_codegen_ptx::math::{Function, Operands, Width};
use mytriton_codegen_ptx::ptxas::{KernelReport, parse_report, parse_version};
use mytriton_codegen_ptx::{Error, PtxIsa, Target};

#[test]
fn target_names_parse_back() {
    for target in Target::ALL {
        assert_eq!(target.name().parse::<Target>().unwrap(), target);
    }
}

#[test]
fn an_unknown_target_is_told_the_known_ones() {
    let error = "sm_70".parse::<Target>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown target 'sm_70'; known targets are sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_103, \
         sm_120"
    );
}

#[test]
fn devices_get_the_best_target_that_runs_on_them() {
    for (capability, target) in [
        ((7, 5), Target::Sm75),
        ((8, 0), Target::Sm80),
        ((8, 6), Target::Sm86),
        ((8, 7), Target::Sm86),
        ((8, 9), Target::Sm89),
        ((9, 0), Target::Sm90a),
        ((10, 0), Target::Sm100),
        ((10, 3), Target::Sm103),
        ((11, 0), Target::Sm103),
        ((12, 0), Target::Sm120),
        ((12, 1), Target::Sm120),
        // One that is not known yet.
        ((99, 9), Target::Sm120),
    ] {
        assert_eq!(Target::for_device(capability.0, capability.1).unwrap(), target);
    }
    assert!(matches!(Target::for_device(7, 0), Err(Error::UnknownTarget { .. })));
}

#[test]
fn newer_targets_have_what_older_ones_have() {
    for (index, newer) in Target::ALL.into_iter().enumerate() {
        // Later architectures do not have Hopper's own instructions.
        let inherited = |older: &&Target| **older != Target::Sm90a || newer == Target::Sm90a;
        assert!(
            Target::ALL[..=index]
                .iter()
                .filter(inherited)
                .all(|older| newer.has(*older))
        );
        assert_eq!(newer.has(Target::Sm90a), newer == Target::Sm90a);
        assert!(Target::ALL[index + 1..].iter().all(|later| !newer.has(*later)));
        assert!(
            newer.ptx_isa() <= PtxIsa { major: 9, minor: 0 },
            "CUDA 13.0 reads PTX up to 9.0"
        );
    }
}

#[test]
fn symbols_name_function_and_type() {
    assert_eq!(Function::Erf.symbol(Width::F32), "__mytriton_erf_f32");
    assert_eq!(
        Function::by_symbol("__mytriton_atan2_f64"),
        Some((Function::Atan2, Width::F64))
    );
    for unknown in ["__mytriton_erf", "__mytriton_erf_f16", "__mytriton_foo_f32", "erf_f32"] {
        assert_eq!(Function::by_symbol(unknown), None, "{unknown}");
    }
    for function in Function::ALL {
        assert_eq!(Function::by_name(function.name()), Some(*function));
        for width in Width::ALL {
            assert_eq!(Function::by_symbol(function.symbol(width)), Some((*function, width)));
        }
    }
    assert_eq!(Function::PowI.operands(), Operands::UnaryInt);
    assert!(
        Function::ALL.is_sorted_by_key(|function| function.name()),
        "alphabetical order"
    );
}

#[test]
fn ptxas_messages_are_read() {
    let messages = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 560 bytes cmem[0]
ptxas warning : Value of threads per SM for entry first is out of range
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
";
    let report = parse_report(messages);
    let first = KernelReport {
        name: "first".to_owned(),
        registers: 40,
        shared_bytes: 1024,
        stack_bytes: 16,
        spill_store_bytes: 12,
        spill_load_bytes: 8,
    };
    let second = KernelReport {
        name: "second".to_owned(),
        registers: 8,
        ..KernelReport::default()
    };
    assert_eq!(report.kernels, [first, second]);
    assert_eq!(
        report.warnings,
        ["ptxas warning : Value of threads per SM for entry first is out of range"]
    );
    assert_eq!(
        parse_version("Cuda compilation tools, release 13.0, V13.0.88\n"),
        "13.0.88"
    );
    assert_eq!(parse_version("no version here"), "");
}
