//! The types of reductions and scans, and their mistakes by hand.

use mytriton_frontend::{DType, Expr, KernelBuilder};

/// The element types that a builtin gives for each type, as "input: result" where they differ, or its refusal.
fn types(f: for<'k> fn(&'k KernelBuilder, Expr<'k>) -> Expr<'k>) -> String {
    let mut found = Vec::new();
    for dtype in DType::ALL {
        let k = KernelBuilder::new("k");
        let x = k.full([4, 17], 1, dtype);
        let result = f(&k, x).ty().and_then(|ty| ty.dtype());
        match result {
            Some(result) if result == dtype => {}
            Some(result) => found.push(format!("{dtype}: {result}")),
            None => found.push(format!("{dtype}: refused")),
        }
        assert_eq!(k.finish().is_err(), result.is_none(), "{dtype}");
    }
    found.join(", ")
}

#[test]
fn element_types_follow_the_table() {
    let sum = "bool: u32, i8: i32, i16: i32, u8: u32, u16: u32";
    assert_eq!(types(|k, x| k.sum(x, 1)), sum);
    assert_eq!(types(|k, x| k.sum_all(x)), sum);
    let extremum = "bool: i32, i8: i32, i16: i32, u8: i32, u16: i32, f16: f32, bf16: f32";
    assert_eq!(types(|k, x| k.max(x, 0)), extremum);
    assert_eq!(types(|k, x| k.min_all(x)), extremum);
    assert_eq!(types(|k, x| k.max_with_index(x, 1).0), "bf16: f32");
    assert_eq!(types(|k, x| k.min_with_index_all(x).0), "bf16: f32");
    let index = DType::ALL
        .map(|t| format!("{t}: i32"))
        .into_iter()
        .filter(|t| t != "i32: i32");
    let index: Vec<String> = index.collect();
    assert_eq!(types(|k, x| k.argmax(x, 1)), index.join(", "));
    assert_eq!(types(|k, x| k.argmin_all(x)), index.join(", "));
    let cumsum = format!("{sum}, bf16: f32");
    assert_eq!(types(|k, x| k.cumsum(x, 1)), cumsum);
    assert_eq!(types(|k, x| k.cumsum_reverse(x, 0)), cumsum);
    assert_eq!(types(|k, x| k.cumprod(x, 1)), "bf16: f32");
    let floats = "f16: refused, bf16: refused, f32: refused, f64: refused";
    assert_eq!(types(|k, x| k.xor_sum(x, 1)), floats);
    assert_eq!(types(|k, x| k.reduce_or(x, 1)), floats);
    let truths: Vec<String> = DType::ALL[1..].iter().map(|t| format!("{t}: bool")).collect();
    assert_eq!(types(|k, x| k.any(x, 1)), truths.join(", "));
    assert_eq!(types(|k, x| k.all_all(x)), truths.join(", "));
    assert_eq!(types(|k, x| k.reduce(x, 0, |a, b| k.select(true, a, b))), "");
}

#[test]
fn shapes_lose_the_axis() {
    let k = KernelBuilder::new("k");
    let x = k.full([2, 3, 5], 1.0, DType::F32);
    let shape = |e: Expr<'_>| e.ty().unwrap().to_string();
    assert_eq!(shape(k.sum(x, 0)), "f32[3, 5]");
    assert_eq!(shape(k.sum(x, -1)), "f32[2, 3]");
    assert_eq!(shape(k.sum(k.sum(k.sum(x, 1), 1), 0)), "f32");
    assert_eq!(shape(k.sum_all(x)), "f32");
    assert_eq!(shape(k.cumsum(x, -3)), "f32[2, 3, 5]");
    assert_eq!(shape(x.trans()), "f32[2, 5, 3]");
    assert_eq!(shape(x.permute([-1, 0, 1])), "f32[5, 2, 3]");
    assert_eq!(shape(x.reshape((6, 5))), "f32[6, 5]");
    // Tiles that are combined together broadcast.
    let (a, b) = k.reduce((x, k.range(0, 5)), 2, |(a, i), (b, j)| (a + b, i + j));
    assert_eq!((shape(a), shape(b)), ("f32[2, 3]".to_owned(), "i32[2, 3]".to_owned()));
    let parts = k.associative_scan([x, x], 0, |[a, b], [c, d]| [a + c, b + d]);
    assert_eq!(shape(parts[1]), "f32[2, 3, 5]");
    k.finish().unwrap();
}

#[test]
fn values_of_a_combine_stay_in_it() {
    let k = KernelBuilder::new("k");
    let x = k.range(0, 8);
    let mut leaked = x;
    let n = k.sum(x, 0);
    let refused = k.reduce(x, 0, |a, b| {
        leaked = a;
        a + b + n
    });
    let _ = (leaked + 1, refused);
    let error = k.finish().unwrap_err();
    let messages: Vec<&str> = error.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let [around, after] = messages[..] else {
        panic!("{messages:?}")
    };
    assert!(around.contains("from outside the combiner"), "{around}");
    assert!(after.contains("has ended"), "{after}");
}

/// What depends on the order of elements is refused where it stands.
#[test]
fn combines_are_associative() {
    let k = KernelBuilder::new("k");
    let x = k.range(0, 8);
    let line = line!() + 1;
    k.reduce(x, 0, |a, b| a - b);
    k.reduce(x, 0, |a, b| a + b - a * b);
    let error = k.finish().unwrap_err();
    let [refused] = &error.diagnostics[..] else {
        panic!("{error}")
    };
    let wanted = "the combiner of reduce: 'sub' of the two elements is not associative";
    assert!(refused.message.contains(wanted), "{}", refused.message);
    assert!(error.to_string().contains(&format!("reductions.rs:{line}")), "{error}");
}
