//! The mathematics library as kernels see it.

use inkwell::context::Context;
use mytriton_codegen_ptx::machine::{TRIPLE, data_layout};
use mytriton_codegen_ptx::math::{self, Function, Operands, Width};
use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_codegen_ptx::{Options, Target};

use crate::{compile_text, compile_with, elementwise};

/// A kernel that applies one function.
fn kernel(function: Function, width: Width) -> String {
    let (symbol, ty) = (function.symbol(width), width.name());
    let (parameters, arguments, extra) = match function.operands() {
        Operands::Unary => (ty.to_owned(), "%x", ""),
        Operands::Binary => (format!("{ty}, {ty}"), "%x, %y", ""),
        Operands::UnaryInt => (format!("{ty}, i32"), "%x, %tid", ""),
    };
    elementwise(
        ty,
        &format!("{extra} %r = llvm.call @{symbol}({arguments}) : ({parameters}) -> {ty}"),
        &format!("llvm.func @{symbol}({parameters}) -> {ty}"),
    )
}

#[test]
fn every_function_links_and_is_inlined_for_the_oldest_and_the_newest_target() {
    let ptxas = Ptxas::find_for_tests();
    for (index, function) in Function::ALL.iter().enumerate() {
        for width in Width::ALL {
            for target in [Target::Sm75, Target::Sm90a] {
                let ptx = compile_text(&kernel(*function, width), target).unwrap().text;
                assert!(
                    !ptx.contains(".extern") && !ptx.contains(".const"),
                    "{function:?} {width:?}:\n{ptx}"
                );
                assert!(
                    !ptx.contains("__mytriton_"),
                    "{function:?} {width:?} is not inlined:\n{ptx}"
                );
                // One target each is enough for the assembler: this is the slow part.
                let chosen = if index % 2 == 0 { Target::Sm75 } else { Target::Sm90a };
                if let (Some(ptxas), true) = (&ptxas, target == chosen) {
                    let report = ptxas.check(&ptx, target).unwrap();
                    assert_eq!(report.warnings, Vec::<String>::new(), "{function:?} {width:?}");
                    assert_eq!(
                        report.kernels[0].spill_store_bytes, 0,
                        "{function:?} {width:?}: {report:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn only_what_is_called_is_linked() {
    let options = Options {
        keep_llvm_ir: true,
        ..Options::new(Target::Sm80)
    };
    let ir = compile_with(&kernel(Function::Exp, Width::F32), &options)
        .unwrap()
        .llvm_ir
        .unwrap();
    assert_eq!(ir.matches("\ndefine ").count(), 1, "{ir}");
    assert!(!ir.contains("\n@"), "no table of another function:\n{ir}");
}

#[test]
fn functions_of_the_library_do_not_follow_the_fusion_option() {
    let text = |fp_fusion| {
        let options = Options {
            fp_fusion,
            ..Options::new(Target::Sm80)
        };
        compile_with(&kernel(Function::Log, Width::F32), &options).unwrap().text
    };
    assert_eq!(text(true), text(false));
}

#[test]
fn triple_and_data_layout_are_those_of_our_modules() {
    let context = Context::create();
    let library = math::library(&context).unwrap();
    assert_eq!(library.get_triple().as_str().to_str(), Ok(TRIPLE));
    assert_eq!(library.get_data_layout().as_str().to_str(), Ok(data_layout().unwrap()));
}

#[test]
fn the_library_has_the_table_s_functions_and_nothing_outside_itself() {
    let context = Context::create();
    let library = math::library(&context).unwrap();
    for function in Function::ALL {
        for width in Width::ALL {
            let value = library
                .get_function(function.symbol(width))
                .unwrap_or_else(|| panic!("{}", function.name()));
            assert_eq!(value.count_params() as usize, function.operands().count());
            assert!(value.count_basic_blocks() > 0);
        }
    }
    for declared in library
        .get_functions()
        .filter(|function| function.count_basic_blocks() == 0)
    {
        let name = declared.get_name().to_string_lossy().into_owned();
        assert!(name.starts_with("llvm.") && !name.starts_with("llvm.nvvm."), "{name}");
    }
    for global in library.get_globals() {
        let space = global.as_pointer_value().get_type().get_address_space();
        assert!(
            global.is_constant() && space == inkwell::AddressSpace::from(1),
            "{global:?}"
        );
    }
}
