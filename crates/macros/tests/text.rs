//! The typed SSA of kernels as text: what each construct becomes, by name and place.

#![allow(non_snake_case)]

#[path = "support/facade.rs"]
#[allow(dead_code)]
mod facade;

use mytriton_macros::kernel;

#[kernel(crate = crate::facade)]
fn masked_copy(x: Ptr<f16>, y: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(1) * BLOCK + range(0, BLOCK);
    let v = load(x + at).mask(at < n).other(-0.1);
    store(y + at, v).mask(at < n);
}

#[test]
fn loads_and_stores() {
    insta::assert_snapshot!(masked_copy::build(64).unwrap());
}

#[kernel(crate = crate::facade)]
fn loops(p: Ptr<f32>, n: i64, u: u32) {
    let (mut sum, mut last) = (0.0, 0u8);
    for k in (0..n).step_by(4) {
        sum += load(p + k);
        if sum > 10 {
            last = 1;
        }
    }
    for k in range(u, 2, -1) {
        store(p + k, sum);
    }
    while sum < 100.0 {
        sum *= 2;
    }
    store(p, sum + last as f32);
}

#[test]
fn loops_and_branches() {
    insta::assert_snapshot!(loops::build().unwrap());
}

#[kernel(crate = crate::facade)]
fn promotions(b: bool, i: i8, u: u8, w: u32, h: f16, g: bf16, f: f32, p: Ptr<i64>) {
    let signless = i + u;
    let half = h * 0.1 + g;
    let quotient = h / 2;
    let mixed = g + 1;
    let wider = g + i;
    let compared = (w >= 5) & (i > -3) | (f == 0.5);
    let shifted = (w >> 3) + (i >> 1) as u32;
    let counted = b + 1;
    let moved = p + w - 3;
    let cast = (i as f32, u as f64, f as u8, h as bf16, f as bool, w as i64, f as f16);
    store(moved, signless + shifted + counted);
    store(p, half + quotient + mixed + wider);
    store(p + 1, compared);
    store(p + 2, cast.0 + cast.1 + cast.2 + cast.3 + cast.5 + cast.6);
    store(p + 3, cast.4);
}

#[test]
fn promotion_and_casts() {
    insta::assert_snapshot!(promotions::build().unwrap());
}

#[kernel(crate = crate::facade)]
fn builtins(p: Ptr<f32>, f: f32, h: f16, i: i32, u: u32) {
    store(p, minimum(f, 1).maximum(0) + f.maximum_nan(f) + f.minimum_nan(2));
    store(
        p + 1,
        where_(i > 0, f, 0) + clamp(f, -1, 1) + fma(f, f, 0.5) + pow(f, 2.5) + div_rn(1, f),
    );
    store(
        p + 2,
        exp(f)
            .exp2()
            .log()
            .log2()
            .log1p()
            .expm1()
            .log10()
            .sin()
            .cos()
            .tan()
            .tanh()
            .erf(),
    );
    store(
        p + 3,
        sqrt(f) + sqrt_rn(f) + rsqrt(f) + abs(f) + floor(f) + ceil(f) + round(f) + trunc(f) + round_even(f),
    );
    store(p + 4, sigmoid(h));
    store(p + 5, gelu(f) + silu(f) + relu(f));
    store(
        p + 6,
        cdiv(i, 8) + u.minimum(7) + abs(i) + i.minimum(2) + bitcast(f, i32) + num_programs(2),
    );
    let tile = range(2, 6).to(f32) + splat(f, [2, 4]) - full((2, 1), 1, f32) * zeros(4, f32);
    store(broadcast_to(p, [2, 4]), tile);
    store(
        p + 7,
        if f.dtype == f32 && p.dtype == f32 {
            log2(64) + cdiv(10, 4)
        } else {
            exp(i)
        },
    );
}

#[test]
fn builtins_by_name() {
    insta::assert_snapshot!(builtins::build().unwrap());
}

#[test]
fn places_are_those_of_the_source() {
    let kernel = masked_copy::build(64).unwrap();
    let line = masked_copy::definition().line;
    let loads = kernel.ops_in_order().into_iter().map(|op| kernel.op(op));
    let place = |name: &str| {
        let op = loads.clone().find(|op| op.kind.name() == name).unwrap();
        (op.loc.line - line, op.loc.col)
    };
    assert_eq!(place("program_id"), (1, 14));
    assert_eq!(place("mul"), (1, 28));
    assert_eq!(place("range"), (1, 38));
    assert_eq!(place("load"), (2, 13));
    assert_eq!(place("cmp"), (2, 34));
    assert_eq!(place("store"), (3, 5));
}

#[test]
fn text_reads_back() {
    for kernel in [
        masked_copy::build(8),
        loops::build(),
        promotions::build(),
        builtins::build(),
    ] {
        let text = kernel.unwrap().to_string();
        let module = mytriton_ssa::parse_module(&text, "kernel.ssa").unwrap();
        assert_eq!(module.kernels[0].to_string(), text);
    }
}

#[kernel(crate = crate::facade)]
fn rows(p: Ptr<f16>, q: Ptr<f32>, #[constexpr] M: i32, #[constexpr] N: i32) {
    let v = load(p + range(0, M).at(.., None) * N + range(0, N));
    let total = sum(v, 1);
    let (top, at) = max_with_index(v, -1);
    store(q + range(0, M), total + top + at);
    store(q, any(v) as f32);
    let (_, mean) = reduce((full([M, N], 1.0, f32), v as f32), 0, |(n, a), (m, b)| {
        let all = n + m;
        (all, (a * n + b * m) / all)
    });
    store(q + range(0, N), associative_scan_reverse(mean, 0, |x, y| x * y * 2.0));
    store(q + range(0, M * N), v.trans().reshape(M * N));
}

#[test]
fn reductions_and_scans() {
    insta::assert_snapshot!(rows::build(4, 17).unwrap());
}
