//! The warp's arithmetic is the language's, number by number; but for NaNs' bits, and what the language leaves open.

use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Const, Scalar, UnaryOp};
use mytriton_ssa::{eval_binary, eval_cast, eval_cmp, eval_fma, eval_unary};
use proptest::prelude::*;
use proptest::sample::select;

use super::alu::*;

/// Numbers of a type: any bits, small ones, and the corners.
fn number(ty: Scalar) -> impl Strategy<Value = u64> {
    let all = mask_of(ty);
    let sign = all ^ (all >> 1);
    let corners = [0, 1, all, sign, sign - 1, sign | 1, all >> 1, 7, 31, 32, 33, 63, 64];
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-40,
        3e38,
        65504.0,
        1e300,
    ];
    let float = move |x: &f64| {
        if ty.is_int() {
            3 & all
        } else {
            Const::from_f64(ty, *x).bits()
        }
    };
    let special: Vec<u64> = corners
        .into_iter()
        .map(|x| x & all)
        .chain(floats.iter().map(float))
        .collect();
    prop_oneof![any::<u64>().prop_map(move |x| x & all), select(special)]
}

fn is_nan(x: Const) -> bool {
    !x.scalar().is_int() && eval_cmp(CmpPred::Ne, x, x)
}

/// The hardware's NaN: all ones but for the sign.
fn nan(ty: Scalar) -> u64 {
    mask_of(ty) >> 1
}

/// The language's result, a NaN being the hardware's.
fn same(ty: Scalar, found: u64, wanted: Const) -> bool {
    let wanted = if is_nan(wanted) { nan(ty) } else { wanted.bits() };
    found == wanted
}

/// All lanes have the same operands; lane 5 alone is active where that matters.
fn row(x: u64) -> Row {
    [x; 32]
}

const LANE: usize = 5;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn of_two((op, ty, a, b) in (select(BinaryOp::ALL.to_vec()), select(Scalar::ALL.to_vec()))
        .prop_filter("a form that exists", |(op, ty)| {
            let signed = op.unsigned().is_some();
            op.domain().contains(*ty) && !(signed && *ty == Scalar::I1)
        })
        .prop_flat_map(|(op, ty)| (Just(op), Just(ty), number(ty), number(op.second_operand(ty)))))
    {
        let found = binary(op, ty, &row(a), &row(b), 1 << LANE)[LANE];
        prop_assert_eq!(found & !mask_of(ty), 0);
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::ShrU | BinaryOp::ShrS);
        let open = shift && b >= u64::from(mask_of(ty).count_ones());
        match eval_binary(op, Const::from_bits(ty, a), Const::from_bits(op.second_operand(ty), b)) {
            Some(wanted) if !open => prop_assert!(same(ty, found, wanted), "{found:#x} for {wanted:?}"),
            // What the language leaves open is no number that a program might get by with.
            _ => prop_assert_eq!(found, ARBITRARY & mask_of(ty)),
        }
    }

    /// The quotient that no type holds, and its neighbours; division by zero.
    #[test]
    fn quotients_at_the_corners(ty in select(vec![Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]), x in any::<u64>()) {
        let all = mask_of(ty);
        let least = all ^ (all >> 1);
        for a in [least, least + 1, least >> 1, 0, 1, all, x & all] {
            for b in [all, all - 1, 1, 0, least] {
                for op in [BinaryOp::DivS, BinaryOp::RemS, BinaryOp::DivU, BinaryOp::RemU] {
                    let found = binary(op, ty, &row(a), &row(b), 1)[0];
                    let wanted = eval_binary(op, Const::from_bits(ty, a), Const::from_bits(ty, b));
                    prop_assert_eq!(found, wanted.map_or(ARBITRARY & all, |wanted| wanted.bits()), "{} {} {}", a, op, b);
                }
            }
        }
    }

    #[test]
    fn of_one((op, ty, a) in (select(UnaryOp::ALL.to_vec()), select(Scalar::ALL.to_vec()))
        .prop_filter("a form that exists", |(op, ty)| op.domain().contains(*ty) && *ty != Scalar::I1)
        .prop_flat_map(|(op, ty)| (Just(op), Just(ty), number(ty))))
    {
        let found = unary(op, ty, &row(a), 1 << LANE)[LANE];
        let wanted = eval_unary(op, Const::from_bits(ty, a));
        // These two change the sign alone, of NaNs as well.
        let bits = matches!(op, UnaryOp::Neg | UnaryOp::Abs);
        let is_same = if bits { found == wanted.bits() } else { same(ty, found, wanted) };
        prop_assert!(is_same, "{found:#x} for {wanted:?}");
    }

    #[test]
    fn fused((ty, a, b, c) in select(vec![Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64])
        .prop_flat_map(|ty| (Just(ty), number(ty), number(ty), number(ty))))
    {
        let found = fma(ty, &row(a), &row(b), &row(c), 1 << LANE)[LANE];
        let [a, b, c] = [a, b, c].map(|x| Const::from_bits(ty, x));
        let wanted = eval_fma(a, b, c);
        prop_assert!(same(ty, found, wanted), "{found:#x} for {wanted:?}");
    }

    /// Where single rounding matters most: sums near ties, and far apart.
    #[test]
    fn fused_near_ties(a in any::<f32>(), b in any::<f32>(), e in -60i32..60, tie in any::<bool>()) {
        let product = f64::from(a) * f64::from(b);
        let c = if tie { (-product) as f32 } else { (product * f64::from(e).exp2()) as f32 };
        let [x, y, z] = [a, b, c].map(|x| u64::from(x.to_bits()));
        let found = fma(Scalar::F32, &row(x), &row(y), &row(z), 1)[0];
        let wanted = a.mul_add(b, c);
        prop_assert!(same(Scalar::F32, found, Const::f32(wanted)), "{:e} for {wanted:e}", f32::from_bits(found as u32));
    }

    /// Sums that lie between two numbers but for less than an f64 of their size tells: rounded by what is beyond.
    #[test]
    fn fused_at_ties(c in any::<f32>().prop_filter("normal", |c| c.is_normal() && c.abs() > 1e-20 && c.abs() < 1e20), flip: bool) {
        let half_ulp = (f64::from(c.abs().next_up()) - f64::from(c.abs())) as f32 / 2.0;
        let a = half_ulp * (1.0 + f32::EPSILON) * if flip { -1.0 } else { 1.0 };
        for b in [1.0 - f32::EPSILON, 1.0, 1.0 + f32::EPSILON] {
            let [x, y, z] = [a, b, c].map(|x| u64::from(x.to_bits()));
            let found = fma(Scalar::F32, &row(x), &row(y), &row(z), 1)[0];
            let wanted = a.mul_add(b, c);
            prop_assert_eq!(found, u64::from(wanted.to_bits()), "{:e} for {:e}", f32::from_bits(found as u32), wanted);
        }
    }

    #[test]
    fn lanes_choose_for_themselves(cond in any::<u32>(), mask in any::<u32>(), a in any::<u64>(), b in any::<u64>()) {
        let conds: Row = std::array::from_fn(|lane| u64::from(cond >> lane & 1));
        let chosen = super::alu::select(&conds, &row(a), &row(b));
        for (lane, chosen) in chosen.into_iter().enumerate() {
            prop_assert_eq!(chosen, if cond >> lane & 1 != 0 { a } else { b });
        }
        prop_assert_eq!(lanes_where(mask, &conds), cond & mask);
        let listed: Vec<usize> = lanes(mask).collect();
        prop_assert_eq!(listed, (0..32).filter(|lane| mask >> lane & 1 != 0).collect::<Vec<_>>());
    }

    #[test]
    fn comparisons((pred, ty, a, b) in (select(CmpPred::ALL.to_vec()), select(Scalar::ALL.to_vec()))
        .prop_filter("a form that exists", |(pred, ty)| {
            let ordered = pred.unsigned().is_some();
            if pred.is_unsigned() { ty.is_int() } else { !(ordered && *ty == Scalar::I1) }
        })
        .prop_flat_map(|(pred, ty)| (Just(pred), Just(ty), number(ty), number(ty))))
    {
        let found = compare(pred, ty, &row(a), &row(b))[LANE] != 0;
        prop_assert_eq!(found, eval_cmp(pred, Const::from_bits(ty, a), Const::from_bits(ty, b)));
    }

    #[test]
    fn conversions((kind, from, to, a) in (select(CastKind::ALL.to_vec()), select(Scalar::ALL.to_vec()), select(Scalar::ALL.to_vec()))
        .prop_filter("a form that exists", |(kind, from, to)| convertible(*kind, *from, *to))
        .prop_flat_map(|(kind, from, to)| (Just(kind), Just(from), Just(to), number(from))))
    {
        let found = cast(kind, from, to, &row(a), 1 << LANE)[LANE];
        let wanted = eval_cast(kind, Const::from_bits(from, a), to);
        let is_same = if kind == CastKind::Bitcast { found == wanted.bits() } else { same(to, found, wanted) };
        prop_assert!(is_same, "{found:#x} for {wanted:?}");
    }

    #[test]
    fn upper_halves(a in any::<u64>(), b in any::<u64>()) {
        let s = mul_high(true, Scalar::I64, &row(a), &row(b))[0];
        prop_assert_eq!(s, ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64);
        let (x, y) = (a & 0xFFFF_FFFF, b & 0xFFFF_FFFF);
        prop_assert_eq!(mul_high(false, Scalar::I32, &row(x), &row(y))[0], (x * y) >> 32);
    }
}

/// Products halfway between two numbers: the addend, however small, decides.
#[test]
fn addends_break_the_ties_of_fused_products() {
    for (ty, digits) in [(Scalar::F16, 11), (Scalar::BF16, 8), (Scalar::F32, 24)] {
        let first = (2f64.powi(digits).sqrt() as u64 | 1) as f64;
        for i in 0..8 {
            // Odd, and of one digit too many.
            let (x, y) = (first + 2.0 * f64::from(i), first + 2.0);
            for exponent in 2..=120 {
                for small in [0.0, 1.0, 3.0].map(|digit| digit * 2f64.powi(-exponent)) {
                    for [x, y, z] in [[x, y, small], [x, y, -small], [-x, y, small]] {
                        let [a, b, c] = [x, y, z].map(|number| Const::from_f64(ty, number));
                        let [p, q, r] = [a, b, c].map(|number| row(number.bits()));
                        let found = fma(ty, &p, &q, &r, 1)[0];
                        assert!(
                            same(ty, found, eval_fma(a, b, c)),
                            "{x} * {y} + {z} in {ty}: {found:#x}"
                        );
                    }
                }
            }
        }
    }
}

/// No decoded program has one of floats on integers, and none may get by with its result.
#[test]
fn operations_of_floats_on_integers_give_what_nothing_may_rely_on() {
    for &op in BinaryOp::ALL {
        for ty in [Scalar::I8, Scalar::I32, Scalar::I64] {
            if !op.domain().contains(ty) {
                assert_eq!(
                    binary(op, ty, &row(3), &row(2), 1),
                    row(ARBITRARY & mask_of(ty)),
                    "{op} {ty}"
                );
            }
        }
    }
}

fn convertible(kind: CastKind, from: Scalar, to: Scalar) -> bool {
    let (wider, narrower) = (to.bytes() > from.bytes(), to.bytes() < from.bytes());
    let boolean = from == Scalar::I1 || to == Scalar::I1;
    match kind {
        CastKind::SExt | CastKind::ZExt => {
            from.is_int() && to.is_int() && (wider || from == Scalar::I1) && to != Scalar::I1
        }
        CastKind::Trunc => from.is_int() && to.is_int() && (narrower || to == Scalar::I1) && from != Scalar::I1,
        CastKind::FExt => !from.is_int() && !to.is_int() && wider,
        CastKind::FTrunc => !from.is_int() && !to.is_int() && narrower,
        CastKind::SToF => from.is_int() && !to.is_int() && from != Scalar::I1,
        CastKind::UToF => from.is_int() && !to.is_int(),
        CastKind::FToS | CastKind::FToU => !from.is_int() && to.is_int() && to != Scalar::I1,
        CastKind::Bitcast => from.bytes() == to.bytes() && !boolean,
    }
}
