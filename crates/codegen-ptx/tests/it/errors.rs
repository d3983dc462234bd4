//! Bad input gives typed errors that name what is wrong, and never ends the process.

use mytriton_codegen_ptx::{Error, Target};

use crate::{compile_text, elementwise};

#[test]
fn intrinsics_without_an_instruction_are_refused_with_their_location() {
    let source = elementwise(
        "f32",
        "%r = llvm.intr.exp(%x) : (f32) -> f32 loc(\"kernel.rs\":12:5)",
        "",
    );
    let error = compile_text(&source, Target::Sm90a).unwrap_err();
    assert_eq!(
        error.to_string(),
        "'llvm.intr.exp' has no PTX instruction for f32, used by function 'k' at kernel.rs:12:5; \
         call __mytriton_exp_f32"
    );
}

#[test]
fn each_unsupported_intrinsic_is_named() {
    let unary = [
        "acos", "asin", "atan", "cos", "cosh", "exp", "exp10", "log", "log10", "log2", "sin", "sinh", "tan", "tanh",
    ];
    for base in unary {
        for (ty, width) in [("f32", "f32"), ("f64", "f64"), ("f16", "f32"), ("vector<2xf16>", "f32")] {
            let source = elementwise(ty, &format!("%r = llvm.intr.{base}(%x) : ({ty}) -> {ty}"), "");
            match compile_text(&source, Target::Sm80) {
                Err(Error::UnsupportedIntrinsic {
                    intrinsic,
                    function,
                    advice,
                    ..
                }) => {
                    assert_eq!(intrinsic, format!("llvm.intr.{base}"));
                    assert_eq!(function, "k");
                    assert!(advice.contains(&format!("__mytriton_{base}_{width}")), "{advice}");
                }
                other => panic!("{base} {ty}: {other:?}"),
            }
        }
    }
}

#[test]
fn approximate_sine_and_binary_exponential_have_instructions() {
    let sine = elementwise(
        "f32",
        "%r = llvm.intr.sin(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32",
        "",
    );
    assert!(
        compile_text(&sine, Target::Sm75)
            .unwrap()
            .text
            .contains("sin.approx.f32")
    );
    let exponential = elementwise("f32", "%r = llvm.intr.exp2(%x) : (f32) -> f32", "");
    assert!(
        compile_text(&exponential, Target::Sm75)
            .unwrap()
            .text
            .contains("ex2.approx.f32")
    );
    let double = elementwise("f64", "%r = llvm.intr.exp2(%x) : (f64) -> f64", "");
    assert!(matches!(
        compile_text(&double, Target::Sm75),
        Err(Error::UnsupportedIntrinsic { .. })
    ));
}

#[test]
fn an_intrinsic_called_by_name_is_refused_too() {
    let source = elementwise(
        "f32",
        "%r = llvm.call_intrinsic \"llvm.log.f32\"(%x) : (f32) -> f32",
        "",
    );
    match compile_text(&source, Target::Sm80) {
        Err(Error::UnsupportedIntrinsic {
            intrinsic,
            element,
            function,
            ..
        }) => {
            assert_eq!(
                (intrinsic.as_str(), element.as_str(), function.as_str()),
                ("llvm.log.f32", "f32", "k")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn operations_of_newer_gpus_are_refused() {
    let source = "gpu.module @m { llvm.func @k() attributes {nvvm.kernel} {
        nvvm.wgmma.fence.aligned loc(\"kernel.rs\":3:1)
        llvm.return } }";
    let error = compile_text(source, Target::Sm90).unwrap_err();
    assert_eq!(
        error.to_string(),
        "'nvvm.wgmma.fence.aligned', used by function 'k' at kernel.rs:3:1, needs sm_90a, and the target is sm_90"
    );
    assert!(compile_text(source, Target::Sm90a).is_ok());

    let named = "gpu.module @m { llvm.func @k() attributes {nvvm.kernel} {
        llvm.call_intrinsic \"llvm.nvvm.cp.async.commit.group\"() : () -> ()
        llvm.return } }";
    match compile_text(named, Target::Sm75) {
        Err(Error::NeedsNewerTarget {
            operation,
            needs: Target::Sm80,
            target: Target::Sm75,
            ..
        }) => {
            assert_eq!(operation, "llvm.nvvm.cp.async.commit.group");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn calls_of_undefined_functions_are_refused() {
    for (symbol, hint) in [
        ("mystery", ""),
        ("__nv_expf", "libdevice"),
        ("__mytriton_exp_f16", "mathematics library"),
    ] {
        let source = elementwise(
            "f32",
            &format!("%r = llvm.call @{symbol}(%x) : (f32) -> f32"),
            &format!("llvm.func @{symbol}(f32) -> f32"),
        );
        let error = compile_text(&source, Target::Sm80).unwrap_err();
        assert!(error.to_string().contains(hint), "{error}");
        assert_eq!(
            error,
            Error::UndefinedSymbol {
                symbol: symbol.to_owned(),
                function: "k".to_owned()
            }
        );
    }
}

#[test]
fn a_library_function_declared_with_another_type_is_refused() {
    let source = elementwise(
        "f64",
        "%r = llvm.call @__mytriton_erf_f32(%x) : (f64) -> f64",
        "llvm.func @__mytriton_erf_f32(f64) -> f64",
    );
    assert_eq!(
        compile_text(&source, Target::Sm80).unwrap_err().to_string(),
        "'__mytriton_erf_f32' is declared with another type than f32 (f32)"
    );
}

#[test]
fn an_operation_that_was_not_lowered_is_named_with_its_location() {
    let source = elementwise("f32", "%r = arith.addf %x, %y : f32 loc(\"kernel.rs\":7:9)", "");
    match compile_text(&source, Target::Sm80) {
        Err(Error::Translation(messages)) => {
            assert!(
                messages.contains("arith.addf") && messages.contains("kernel.rs:7:9: "),
                "{messages}"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn several_device_modules_are_refused() {
    let error = compile_text("gpu.module @a {} gpu.module @b {}", Target::Sm80).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the module holds 2 gpu.modules (a, b); compile them one at a time"
    );
}

#[test]
fn errors_in_inline_assembly_constraints_are_reported() {
    let source = elementwise(
        "f32",
        "%r = llvm.inline_asm \"mov.b32 $0, $1;\", \"=Q,Q\" %x : (f32) -> f32",
        "",
    );
    assert!(matches!(
        compile_text(&source, Target::Sm80),
        Err(Error::Codegen(_) | Error::InvalidModule { .. } | Error::Fatal(_))
    ));
}

#[test]
fn what_llvm_fails_on_fatally_is_an_error_and_the_next_call_works() {
    // None of the checks looks for quadruple precision, for which LLVM wants a run-time library.
    let source = "gpu.module @m { llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
        %x = llvm.load %p : !llvm.ptr<1> -> f128
        %r = llvm.fadd %x, %x : f128
        llvm.store %r, %p : f128, !llvm.ptr<1>
        llvm.return } }";
    for _ in 0..2 {
        match compile_text(source, Target::Sm80) {
            Err(Error::Fatal(message)) => assert!(message.contains("library call"), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(compile_text(&elementwise("f32", "%r = llvm.fadd %x, %y : f32", ""), Target::Sm80).is_ok());
}
