//! What is printed reads back as the same kernel, and prints the same again.

use mytriton_ssa::{Builder, Const, Elem, Kernel, Loc, Module, PrintOptions, Scalar, parse_module, verify};
use proptest::prelude::*;

use crate::generate::kernels;
use crate::same::assert_same;

fn read_back(text: &str) -> Kernel {
    let module = parse_module(text, "printed.ssa").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(module.kernels.len(), 1);
    module.kernels.into_iter().next().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn print_parse_print_is_the_identity(kernel in kernels()) {
        verify(&kernel).unwrap();
        let text = kernel.to_string();
        let again = read_back(&text);
        assert_same(&kernel, &again, false);
        prop_assert_eq!(&text, &again.to_string());
        // Where nothing says otherwise, places are those of the text.
        for op in again.ops_in_order() {
            let loc = again.op(op).loc;
            prop_assert_eq!(&again.files[loc.file as usize], "printed.ssa");
            prop_assert!(loc.line as usize <= text.lines().count());
        }
    }

    #[test]
    fn locations_read_back(kernel in kernels()) {
        let options = PrintOptions { locations: true };
        let text = kernel.display(options).to_string();
        let again = read_back(&text);
        assert_same(&kernel, &again, true);
        prop_assert_eq!(&text, &again.display(options).to_string());
        prop_assert!(!again.files.iter().any(|f| f == "printed.ssa"));
    }

    #[test]
    fn every_operation_is_one_line_in_messages(kernel in kernels()) {
        let text = kernel.to_string();
        for op in kernel.ops_in_order() {
            let line = kernel.describe_op(op);
            prop_assert!(!line.contains('\n'));
            let head = line.split("{...}").next().unwrap();
            prop_assert!(text.contains(head) || line.starts_with("yield"), "{}", line);
        }
    }
}

#[test]
fn a_module_reads_back() {
    let mut module = Module {
        kernels: vec![Kernel::new("a"), Kernel::new("b")],
    };
    module.kernels[1].add_param("n", Elem::Ptr(Scalar::BF16));
    let text = module.to_string();
    assert_eq!(text, "kernel @a() {\n}\n\nkernel @b(%n: ptr<bf16>) {\n}\n");
    assert_eq!(parse_module(&text, "m.ssa").unwrap().to_string(), text);
}

/// Every `f16` and `bf16` there is, NaNs and subnormals too: the printed decimal has to give back the very bits. One
/// kernel of 2^17 operations also shows that nothing here takes quadratic time.
#[test]
fn every_half_precision_constant_reads_back() {
    let mut b = Builder::new("constants");
    for scalar in [Scalar::F16, Scalar::BF16] {
        for bits in 0..=0xFFFF {
            b.constant(Const::from_bits(scalar, bits));
        }
    }
    let kernel = b.finish();
    assert_same(&kernel, &read_back(&kernel.to_string()), false);
}

/// Names of files may have any characters.
#[test]
fn names_of_files_read_back() {
    let names = [
        "a b.ssa",
        "\"",
        "\\",
        "tab\there",
        "line\nbreak",
        "\r\u{7f}\u{1}",
        "\u{e4}\u{1f600}",
        "{}",
        "\\n\\u{41}",
    ];
    let mut b = Builder::new("k");
    for (line, name) in (1..).zip(names) {
        let file = b.kernel_mut().file_index(name);
        b.set_loc(Loc { file, line, col: 1 });
        b.constant(Const::i32(0));
    }
    let kernel = b.finish();
    let again = read_back(&kernel.display(PrintOptions { locations: true }).to_string());
    for (op, name) in again.ops_in_order().into_iter().zip(names) {
        assert_eq!(again.files[again.op(op).loc.file as usize], name);
    }
}
