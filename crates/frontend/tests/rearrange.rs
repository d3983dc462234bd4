//! The types of what is joined, split, chosen, counted and sorted, by hand.

use mytriton_frontend::{DType, Expr, KernelBuilder};

fn of(e: Expr<'_>) -> String {
    e.ty().map_or_else(|| "none".to_owned(), |ty| ty.to_string())
}

#[test]
fn types_by_hand() {
    let k = KernelBuilder::new("k");
    let x = k.full([2, 3, 5], 1.0, DType::F16);
    let i = k.range(0, 5);
    assert_eq!(of(x.join(x)), "f16[2, 3, 5, 2]");
    assert_eq!(of(x.join(i)), "f16[2, 3, 5, 2]");
    assert_eq!(of(k.expr(1).join(2.5)), "f32[2]");
    let (a, b) = x.join(1.0).split();
    assert_eq!((of(a), of(b)), ("f16[2, 3, 5]".to_owned(), "f16[2, 3, 5]".to_owned()));
    let (a, _) = k.range(0, 2).split();
    assert_eq!(of(a), "i32");
    assert_eq!(of(x.interleave(x)), "f16[2, 3, 10]");
    assert_eq!(of(i.cat(i)), "i32[10]");
    assert_eq!(of(i.cat(k.full(3, 0.5, DType::F32))), "f32[8]");
    assert_eq!(of(x.ravel()), "f16[30]");
    assert_eq!(of(x.flip(-2)), "f16[2, 3, 5]");
    assert_eq!(of(x.gather(k.zeros([2, 7, 5], DType::I8), 1)), "f16[2, 7, 5]");
    assert_eq!(of(i.histogram(300)), "i32[300]");
    assert_eq!(of(k.zeros([2, 3], DType::Bool).histogram_masked(2, true)), "i32[2]");
    for dtype in DType::ALL {
        let x = k.full([2, 3, 5], 1, dtype);
        assert_eq!(of(x.sort()), format!("{dtype}[2, 3, 5]"));
        assert_eq!(of(x.sort_ordered(1, true)), format!("{dtype}[2, 3, 5]"));
        assert_eq!(of(x.topk(4)), format!("{dtype}[2, 3, 4]"));
        assert_eq!(of(k.here().zeros_like(x)), format!("{dtype}[2, 3, 5]"));
    }
    assert_eq!(of(x.softmax(1)), "f16[2, 3, 5]");
    k.finish().unwrap();
}
