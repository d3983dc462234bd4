//! The tile operations against the scalar meaning that the optimiser folds with, and against the language's numbers.

use mytriton_ssa::{
    BinaryOp, Builder, CastKind, CmpPred, Const, Elem, OpKind, Scalar, Type, UnaryOp, eval_binary, eval_cast, eval_cmp,
    eval_fma, eval_select, eval_unary, result_type,
};
use proptest::prelude::*;

use crate::eval::{Context, evaluate};
use crate::tile::{Element, Poison, Tile, Why, each_scalar};

/// The elements of a tile as constants.
fn constants(tile: &Tile, scalar: Scalar) -> Vec<Const> {
    use crate::cells::Raw;
    each_scalar!(scalar, T => {
        tile.get::<T>().iter().map(|x| Const::from_bits(scalar, x.to_raw().to_u64())).collect()
    })
}

fn tile_of(elements: &[Const]) -> Tile {
    let mut tile = Tile::empty();
    each_scalar!(elements[0].scalar(), T => {
        tile.begin::<T>().extend(elements.iter().map(|&c| T::from_const(c)));
    });
    tile
}

/// Runs an operation on tiles of equal length.
fn apply(kind: OpKind, operands: &[&[Const]], to: Option<Scalar>) -> (Vec<Const>, Option<Vec<u32>>) {
    let mut builder = Builder::new("k");
    let params: Vec<_> = operands
        .iter()
        .map(|x| {
            builder.param(
                format!("x{}", builder.kernel().params().len()),
                Elem::Scalar(x[0].scalar()),
            )
        })
        .collect();
    let result = builder.op(kind, &params, to.map(Type::scalar)).unwrap().unwrap();
    let kernel = builder.finish();
    let scalar = kernel.ty(result).as_scalar().unwrap();
    let tiles: Vec<Tile> = operands.iter().map(|x| tile_of(x)).collect();
    let cx = Context {
        kernel: &kernel,
        program: [0; 3],
        grid: [1; 3],
    };
    let op = kernel.ops_in_order()[0];
    // What an earlier result left behind must not matter.
    let mut out = Tile::scalar(7i8);
    out.poison = Some(vec![3]);
    evaluate(&cx, op, kernel.op(op), &tiles.iter().collect::<Vec<_>>(), &mut out);
    (constants(&out, scalar), out.poison)
}

/// Bits of a number: anything, or one of those where rules change.
fn element(scalar: Scalar) -> impl Strategy<Value = Const> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        127.0,
        -128.0,
        255.0,
        65504.0,
        65520.0,
        2147483648.0,
        1e-40,
        1e30,
        9.3e18,
        -9.3e18,
        1.8446744073709552e19,
        1.0009765625,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let float = move |v: f64| Const::from_f64(scalar, v);
    let int = move |v: i64| Const::from_int(scalar, v.into());
    let bits = any::<u64>().prop_map(move |bits| Const::from_bits(scalar, bits));
    let near = (-300i64..300).prop_map(move |v| match scalar.is_float() {
        true => Const::from_f64(scalar, v as f64 / 16.0),
        false => int(v),
    });
    let special = prop::sample::select(special.to_vec()).prop_map(float);
    let extreme = (0u32..64, -2i64..3).prop_map(move |(shift, v)| int((1i64 << shift).wrapping_add(v)));
    prop_oneof![3 => bits, 3 => near, 1 => special, 1 => extreme]
}

fn triples(scalar: Scalar) -> impl Strategy<Value = Vec<[Const; 3]>> {
    let triple = (element(scalar), element(scalar), element(scalar)).prop_map(|(a, b, c)| [a, b, c]);
    prop::collection::vec(triple, 1..40)
}

/// Compares every operation on tiles of these numbers with its scalar meaning.
fn check(scalar: Scalar, triples: &[[Const; 3]]) -> Result<(), TestCaseError> {
    let column = |i: usize| triples.iter().map(|t| t[i]).collect::<Vec<_>>();
    let (a, b, c) = (column(0), column(1), column(2));
    for &op in UnaryOp::ALL {
        if result_type(&OpKind::Unary(op), &[Type::scalar(scalar)], None).is_err() {
            continue;
        }
        let (found, _) = apply(OpKind::Unary(op), &[&a], None);
        let expected: Vec<Const> = a.iter().map(|&a| eval_unary(op, a)).collect();
        prop_assert_eq!(found, expected, "{} of {:?}", op, &a);
    }
    let pair = [Type::scalar(scalar); 2];
    for &op in BinaryOp::ALL {
        let second = op.second_operand(scalar);
        if result_type(&OpKind::Binary(op), &[Type::scalar(scalar), Type::scalar(second)], None).is_err() {
            continue;
        }
        let b: Vec<Const> = match second == scalar {
            true => b.clone(),
            // Small and large exponents.
            false => (b.iter().enumerate())
                .map(|(i, x)| Const::from_int(second, (x.bits() as i32 >> (i % 4 * 8)).into()))
                .collect(),
        };
        let (found, poison) = apply(OpKind::Binary(op), &[&a, &b], None);
        prop_assert_eq!(found.len(), a.len(), "{}", op);
        for (i, found) in found.into_iter().enumerate() {
            let why = poison.as_ref().map_or(0, |p| p[i]);
            let expected = eval_binary(op, a[i], b[i]);
            prop_assert_eq!((why == 0).then_some(found), expected, "{:?} {} {:?}", a[i], op, b[i]);
            if why != 0 {
                let by_zero = b[i] == Const::zero(scalar);
                let expected = if by_zero { Why::ByZero } else { Why::Overflow };
                prop_assert_eq!(Poison::from_code(why).why, expected);
            }
        }
    }
    for &pred in CmpPred::ALL {
        if result_type(&OpKind::Cmp(pred), &pair, None).is_err() {
            continue;
        }
        let (found, _) = apply(OpKind::Cmp(pred), &[&a, &b], None);
        let expected: Vec<Const> = (0..a.len()).map(|i| Const::bool(eval_cmp(pred, a[i], b[i]))).collect();
        prop_assert_eq!(found, expected, "{:?} {} {:?}", &a, pred, &b);
    }
    let conditions: Vec<Const> = c.iter().map(|c| Const::bool(c.bits() & 1 != 0)).collect();
    let (found, _) = apply(OpKind::Select, &[&conditions, &a, &b], None);
    let expected: Vec<Const> = (0..a.len()).map(|i| eval_select(conditions[i], a[i], b[i])).collect();
    prop_assert_eq!(found, expected);
    if scalar.is_float() {
        let (found, _) = apply(OpKind::Fma, &[&a, &b, &c], None);
        let expected: Vec<Const> = (0..a.len()).map(|i| eval_fma(a[i], b[i], c[i])).collect();
        prop_assert_eq!(found, expected, "fma {:?} {:?} {:?}", &a, &b, &c);
    }
    for &kind in CastKind::ALL {
        for to in Scalar::ALL {
            let types = (&[Type::scalar(scalar)], Some(Type::scalar(to)));
            if result_type(&OpKind::Cast(kind), types.0, types.1).is_err() {
                continue;
            }
            let (found, _) = apply(OpKind::Cast(kind), &[&a], Some(to));
            let expected: Vec<Const> = a.iter().map(|&a| eval_cast(kind, a, to)).collect();
            prop_assert_eq!(found, expected, "{} of {:?} to {}", kind, &a, to);
        }
    }
    Ok(())
}

macro_rules! agrees_with_the_scalar_meaning {
    ($($name:ident: $scalar:ident,)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(60))]
            $(#[test]
            fn $name(triples in triples(Scalar::$scalar)) {
                check(Scalar::$scalar, &triples)?;
            })*
        }
    };
}

agrees_with_the_scalar_meaning! {
    tiles_of_i1: I1,
    tiles_of_i8: I8,
    tiles_of_i16: I16,
    tiles_of_i32: I32,
    tiles_of_i64: I64,
    tiles_of_f16: F16,
    tiles_of_bf16: BF16,
    tiles_of_f32: F32,
    tiles_of_f64: F64,
}

fn i32s(values: &[i32]) -> Vec<Const> {
    values.iter().map(|&v| Const::i32(v)).collect()
}

fn floats(scalar: Scalar, values: &[f64]) -> Vec<Const> {
    values.iter().map(|&v| Const::from_f64(scalar, v)).collect()
}

#[test]
fn integers_are_those_of_the_language() {
    let (found, _) = apply(OpKind::Binary(BinaryOp::Add), &[&i32s(&[i32::MAX]), &i32s(&[1])], None);
    assert_eq!(found, i32s(&[i32::MIN]));
    let (a, b) = (i32s(&[-7, 7]), i32s(&[3, -3]));
    assert_eq!(
        apply(OpKind::Binary(BinaryOp::DivS), &[&a, &b], None).0,
        i32s(&[-2, -2])
    );
    assert_eq!(apply(OpKind::Binary(BinaryOp::RemS), &[&a, &b], None).0, i32s(&[-1, 1]));
    let amounts = i32s(&[31, 32, -1]);
    let x = i32s(&[-8, -8, -8]);
    assert_eq!(
        apply(OpKind::Binary(BinaryOp::Shl), &[&x, &amounts], None).0,
        i32s(&[0, 0, 0])
    );
    assert_eq!(
        apply(OpKind::Binary(BinaryOp::ShrS), &[&x, &amounts], None).0,
        i32s(&[-1, -1, -1])
    );
    assert_eq!(
        apply(OpKind::Binary(BinaryOp::ShrU), &[&x, &amounts], None).0,
        i32s(&[1, 0, 0])
    );
    assert_eq!(
        apply(OpKind::Unary(UnaryOp::Abs), &[&i32s(&[i32::MIN, -5])], None).0,
        i32s(&[i32::MIN, 5])
    );
}

#[test]
fn floats_are_those_of_the_language() {
    let one = 1.0 + 2f64.powi(-12);
    let [x, z] = [one, -(1.0 + 2f64.powi(-11))].map(|v| floats(Scalar::F32, &[v]));
    assert_eq!(
        apply(OpKind::Fma, &[&x, &x, &z], None).0,
        floats(Scalar::F32, &[2f64.powi(-24)])
    );
    for (to, from, values, expected) in [
        (
            Scalar::F16,
            Scalar::F64,
            vec![
                65519.996,
                65520.0,
                1.00048828125,
                1.00048828125 + 2f64.powi(-40),
                1.00146484375,
            ],
            vec![0x7BFF, 0x7C00, 0x3C00, 0x3C01, 0x3C02],
        ),
        (
            Scalar::BF16,
            Scalar::F32,
            vec![1.00390625, 259.0, 257.0, 33000.0],
            vec![0x3F80, 0x4382, 0x4380, 0x4701],
        ),
    ] {
        let (found, _) = apply(OpKind::Cast(CastKind::FTrunc), &[&floats(from, &values)], Some(to));
        assert_eq!(found.iter().map(|c| c.bits()).collect::<Vec<_>>(), expected, "{to}");
    }
    for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        let (a, b) = (
            floats(scalar, &[f64::NAN, 1.0, 0.0, -5.5]),
            floats(scalar, &[1.0, f64::NAN, -0.0, 2.0]),
        );
        let both = |op| apply(OpKind::Binary(op), &[&a, &b], None).0;
        assert_eq!(both(BinaryOp::Min), floats(scalar, &[1.0, 1.0, -0.0, -5.5]));
        assert_eq!(both(BinaryOp::Max), floats(scalar, &[1.0, 1.0, 0.0, 2.0]));
        assert!(both(BinaryOp::MinNan)[..2].iter().all(|c| c.is_nan()));
        assert_eq!(both(BinaryOp::Rem)[3], Const::from_f64(scalar, -1.5));
    }
    let odd = floats(Scalar::F32, &[1e10, -1.0, f64::NAN, 3.99]);
    assert_eq!(
        apply(OpKind::Cast(CastKind::FToS), &[&odd], Some(Scalar::I32)).0,
        i32s(&[i32::MAX, -1, 0, 3])
    );
    assert_eq!(
        apply(OpKind::Cast(CastKind::FToU), &[&odd], Some(Scalar::I32)).0,
        i32s(&[-1, 0, 0, 3])
    );
}

/// Fused products at a tie, or as small as half the addend's last digit, are decided by all digits.
#[test]
fn fused_products_round_once() {
    for (scalar, digits) in [(Scalar::F16, 11), (Scalar::BF16, 8), (Scalar::F32, 24)] {
        let unit = 2f64.powi(1 - digits);
        let first = (2f64.powi(digits).sqrt() as u64 | 1) as f64;
        let mut triples = Vec::new();
        for i in 0..8 {
            // An odd product of one digit too many.
            let (x, y) = (first + 2.0 * f64::from(i), first + 2.0);
            for exponent in 2..=120 {
                for small in [0.0, 1.0, 3.0].map(|digit| digit * 2f64.powi(-exponent)) {
                    triples.extend([[x, y, small], [x, y, -small], [-x, y, small]]);
                }
            }
        }
        let half = [2f64.powi(-(digits / 2)), 2f64.powi(digits / 2 - digits)];
        for (a, b) in [(unit, -unit), (0.0, 0.0), (unit, 0.0)] {
            for addend in [1.0, 1.0 + unit, 1.0 + 2.0 * unit] {
                let [x, y] = [half[0] * (1.0 + a), half[1] * (1.0 + b)];
                triples.extend([[x, y, addend], [-x, y, addend], [x, y, -addend]]);
            }
        }
        let column = |i: usize| floats(scalar, &triples.iter().map(|t| t[i]).collect::<Vec<f64>>());
        let (a, b, c) = (column(0), column(1), column(2));
        let (found, _) = apply(OpKind::Fma, &[&a, &b, &c], None);
        for (i, found) in found.into_iter().enumerate() {
            assert_eq!(found, eval_fma(a[i], b[i], c[i]), "{:?} in {scalar}", triples[i]);
        }
    }
}

/// Numbers of `f64` at a tie of a narrow type, and beside it by parts of the last digit of `f32`.
#[test]
fn what_lies_beside_a_tie_is_no_tie() {
    for scalar in [Scalar::F16, Scalar::BF16] {
        let mut values = Vec::new();
        for low in (0..0x7000).step_by(37) {
            let [a, b] = [low, low + 1].map(|bits| Const::from_bits(scalar, bits).as_f64().unwrap());
            let tie = (a + b) / 2.0;
            let unit = f64::from((tie as f32).next_up()) - tie;
            for part in [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0] {
                values.extend([
                    tie + part * unit,
                    tie - part * unit,
                    -tie - part * unit,
                    part * unit - tie,
                ]);
            }
            values.extend([tie.next_up(), tie.next_down()]);
        }
        let values = floats(Scalar::F64, &values);
        let (found, _) = apply(OpKind::Cast(CastKind::FTrunc), &[&values], Some(scalar));
        for (value, found) in values.iter().zip(found) {
            assert_eq!(
                found,
                eval_cast(CastKind::FTrunc, *value, scalar),
                "{value:?} to {scalar}"
            );
        }
    }
}

/// By less than, by, and by more than all bits of each type.
#[test]
fn shifts_by_every_amount() {
    for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
        let amounts: Vec<Const> = (0..=127)
            .chain([-1, -128])
            .map(|n| Const::from_int(scalar, n))
            .collect();
        for x in [1, -1, 0x55, i64::MIN, i64::MAX] {
            let x = vec![Const::from_int(scalar, x.into()); amounts.len()];
            for op in [BinaryOp::Shl, BinaryOp::ShrU, BinaryOp::ShrS] {
                let (found, _) = apply(OpKind::Binary(op), &[&x, &amounts], None);
                for (i, found) in found.into_iter().enumerate() {
                    let expected = eval_binary(op, x[i], amounts[i]);
                    assert_eq!(Some(found), expected, "{:?} {op} {:?}", x[i], amounts[i]);
                }
            }
        }
    }
}
