//! How kernels print that break rules, or stand at their limits: as far as they make sense.

use mytriton_ssa::{
    BuildError, Builder, Const, Elem, Kernel, Loc, MAX_NESTING, OpId, OpKind, RegionId, Scalar, Type, parse_module,
    verify,
};

use crate::verify::nested;

/// The innermost region of nested ones, and the operation that holds it.
fn innermost(kernel: &Kernel) -> (RegionId, OpId) {
    let ops = kernel.ops_in_order();
    let mut holders = ops.iter().filter(|&&op| kernel.op(op).kind == OpKind::If);
    let holder = *holders.next_back().expect("an if");
    (kernel.op(holder).regions[0], holder)
}

#[test]
fn the_deepest_regions_are_printed_and_read_back() {
    let kernel = nested(MAX_NESTING);
    let text = kernel.to_string();
    assert!(
        text.contains("%c7 = const 7 : i32") && !text.contains("<region"),
        "{text}"
    );
    assert_eq!(parse_module(&text, "k.ssa").unwrap().to_string(), text);
}

/// Deeper ones are neither walked nor named: there may be more than the stack holds.
#[test]
fn deeper_regions_are_left_out() {
    let kernel = nested(MAX_NESTING + 1);
    let (region, _) = innermost(&kernel);
    let text = kernel.to_string();
    assert!(!text.contains("const 7"), "{text}");
    assert!(text.contains(&format!("{{ <region {}> }}", region.index())), "{text}");
    let op = kernel.region(region).ops[0];
    let value = kernel.op(op).results[0].index();
    assert_eq!(kernel.describe_op(op), format!("%<undefined {value}> = const 7 : i32"));
}

/// A kernel with one `if`, and the operation.
fn branch() -> (Kernel, OpId) {
    let mut b = Builder::new("k");
    let condition = b.param("c", Elem::Scalar(Scalar::I1));
    b.if_else::<BuildError>(condition, |_| Ok(vec![]), |_| Ok(vec![]))
        .unwrap();
    let kernel = b.finish();
    let op = kernel.region(kernel.body()).ops[0];
    (kernel, op)
}

/// At the end of a region it is left out, since it is read back anyway.
#[test]
fn a_yield_in_the_midst_of_a_region_is_printed() {
    let (mut kernel, op) = branch();
    assert!(!kernel.to_string().contains("yield"));
    let region = kernel.op(op).regions[0];
    let constant = kernel.new_op(OpKind::Const(Const::i32(1)), [], [Type::I32], [], Loc::UNKNOWN);
    kernel.region_mut(region).ops.push(constant);
    insta::assert_snapshot!(kernel, @r#"
    kernel @k(%c: i1) {
      if %c {
        yield
        %c1 = const 1 : i32
      }
    }
    "#);
    let body = kernel.body();
    let end = kernel.new_op(OpKind::Yield, [], [], [], Loc::UNKNOWN);
    kernel.region_mut(body).ops.push(end);
    assert!(kernel.to_string().ends_with("yield\n}\n"), "{kernel}");
}

#[test]
fn regions_and_operations_that_do_not_exist_are_named_so() {
    let (mut kernel, op) = branch();
    // The first one that the kernel lacks.
    let (mut big, _) = branch();
    let region = big.new_region([]);
    assert_eq!(region.index(), kernel.region_count());
    kernel.op_mut(op).regions[1] = region;
    assert!(verify(&kernel).is_err());
    insta::assert_snapshot!(kernel, @r#"
    kernel @k(%c: i1) {
      if %c {
      } else { <region 3> }
    }
    "#);
    let mut kernel = Kernel::new("k");
    let body = kernel.body();
    kernel.region_mut(body).ops.extend(&big.region(big.body()).ops);
    insta::assert_snapshot!(kernel, @r#"
    kernel @k() {
      <undefined operation 2>
    }
    "#);
}

/// A parameter's name is part of the kernel's interface; a name of its value is not.
#[test]
fn parameters_keep_their_names() {
    let mut b = Builder::new("k");
    let x = b.param("x", Elem::Scalar(Scalar::I32));
    b.kernel_mut().set_name(x, "other");
    assert_eq!(b.finish().to_string(), "kernel @k(%x: i32) {\n}\n");
}

/// A name that is no identifier stands in quotes, and nothing in it reaches the terminal.
#[test]
fn strange_names_are_quoted() {
    for (name, quoted) in [
        ("a b", r#""a b""#),
        ("a\"\\", r#""a\"\\""#),
        ("\n\t", r#""\n\t""#),
        ("\u{1b}[1m\u{9b}", r#""\u{1b}[1m\u{9b}""#),
        ("größe", r#""größe""#),
    ] {
        let text = Kernel::new(name).to_string();
        assert_eq!(text, format!("kernel @{quoted}() {{\n}}\n"));
    }
}
