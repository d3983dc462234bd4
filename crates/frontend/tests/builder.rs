//! Kernels built by hand.

use mytriton_frontend::{DType, Expr, KernelBuilder, Number};

#[test]
fn control_flow_by_closures() {
    let k = KernelBuilder::new("control");
    let (p, n) = (k.ptr("p", DType::F32), k.scalar("n", DType::I32));
    let (sum, count) = k.for_range(0, n, 2, (k.expr(0.0), k.expr(0)), |i, (sum, count)| {
        (sum + k.load(p + i).get(), count + 1)
    });
    let bounded = k.while_loop(sum, |s| s.gt(100.0), |s| s * 0.5);
    let chosen = k.if_else(count.gt(3), || bounded, || -bounded);
    let known = k.if_else(true, || k.expr(1), || k.expr(0) / k.expr(0));
    assert_eq!(known.known(), Some(Number::Int(1)));
    k.store(p, chosen + known).done();
    let text = k.finish().unwrap().to_string();
    for part in ["for %", "carry (", "while (", "condition", "if %", "neg %"] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
}

#[test]
fn host_numbers_stand_on_either_side() {
    let k = KernelBuilder::new("k");
    let x = k.scalar("x", DType::F16);
    let types = |e: Expr<'_>| e.ty().unwrap().to_string();
    assert_eq!(types(2.0 * x + 1), "f16");
    assert_eq!(types(1i64 << k.scalar("n", DType::I8)), "i8");
    assert_eq!(types(k.range(0, 8) * 0.5), "f32[8]");
    assert_eq!(types(k.range(0, 8) * 1e300), "f64[8]");
    assert_eq!(
        types(k.zeros((2, 8), DType::U8) + k.range(0, 8).expand_dims(0)),
        "i32[2, 8]"
    );
    assert_eq!(types(k.select(x.lt(0), 1, 2)), "i32");
    assert!(k.finish().is_ok());
}

#[test]
fn mistakes_are_told_at_the_callers_line() {
    let k = KernelBuilder::new("mistakes");
    let (x, line) = (k.scalar("x", DType::F32), line!());
    let y = x & 1;
    let poison = (y + x).exp();
    assert!(k.has_errors() && poison.ty().is_none());
    k.program_id(5);
    let error = k.finish().unwrap_err();
    assert_eq!(error.diagnostics.len(), 2, "{error}");
    assert!(
        error.place().ends_with(&format!("builder.rs:{}:13", line + 1)),
        "{}",
        error.place()
    );
    assert_eq!(error.message(), "'&' takes integers or bool, not f32");
    assert_eq!(
        error.to_string(),
        format!(
            "kernel 'mistakes' cannot be built: {}: '&' takes integers or bool, not f32\n  {}: program_id(5): a grid has \
             the axes 0, 1 and 2",
            error.diagnostics[0].place, error.diagnostics[1].place
        )
    );
}

#[test]
fn values_do_not_leave_their_region() {
    let k = KernelBuilder::new("leak");
    let mut leaked = None;
    k.for_range(0, 4, 1, (), |i, ()| leaked = Some(i));
    let _ = leaked.unwrap() + 1;
    let error = k.finish().unwrap_err();
    assert_eq!(
        error.message(),
        "'+' got a value made inside a loop or branch that has ended: carry it out as a result"
    );

    let (k, other) = (KernelBuilder::new("one"), KernelBuilder::new("two"));
    let _ = k.scalar("x", DType::I32) + other.scalar("y", DType::I32);
    assert_eq!(k.finish().unwrap_err().message(), "'+' got a value of another kernel");
}

#[test]
fn nested_mistakes_leave_the_builder_whole() {
    // A bad loop bound: the body is looked at all the same, and code after the loop too.
    let k = KernelBuilder::new("k");
    let x = k.scalar("x", DType::F32);
    let r = k.for_range(0, x, 1, k.expr(1), |i, a| a + i + x.eq(x) + k.zeros(0, DType::F32));
    let _ = r + k.range(3, 3);
    let messages: Vec<_> = k
        .finish()
        .unwrap_err()
        .diagnostics
        .into_iter()
        .map(|d| d.message)
        .collect();
    assert_eq!(messages.len(), 3, "{messages:#?}");
    assert!(messages[0].contains("bounds and step of a loop"));
    assert!(messages[1].contains("extent 0"));
    assert!(messages[2].contains("range(3, 3) is empty"));
}

#[test]
fn too_much_nesting_and_bad_names_are_errors() {
    fn nest(k: &KernelBuilder, depth: usize) {
        if depth > 0 {
            k.for_range(0, 1, 1, (), |_, ()| nest(k, depth - 1));
        }
    }
    let k = KernelBuilder::new("deep");
    nest(&k, 100);
    assert!(k.finish().unwrap_err().message().contains("nest"), "nesting");
    let k = KernelBuilder::new("not a name");
    assert!(k.finish().unwrap_err().message().contains("name"), "name");
}

#[test]
fn a_boolean_shifts_right_without_a_sign() {
    let k = KernelBuilder::new("k");
    let (p, b) = (k.ptr("p", DType::Bool), k.scalar("b", DType::Bool));
    k.store(p, (k.expr(true) >> b) ^ (b >> b)).done();
    let text = k.finish().unwrap().to_string();
    assert!(text.contains("shr_u") && !text.contains("shr_s"), "{text}");
}
