use proptest::prelude::*;

use super::*;

const NARROW: [Scalar; 2] = [Scalar::F16, Scalar::BF16];

fn f(scalar: Scalar, v: f64) -> Const {
    Const::from_f64(scalar, v)
}

/// Equal bits, or both NaN.
fn same(a: Const, b: Const) -> bool {
    a == b || (a.is_nan() && b.is_nan() && a.scalar() == b.scalar())
}

/// Every finite value of a narrow type in ascending order.
fn all_finite(scalar: Scalar) -> Vec<Const> {
    let mut values: Vec<Const> = (0..=0xFFFF)
        .map(|bits| Const::from_bits(scalar, bits))
        .filter(|c| value(*c).is_finite())
        .collect();
    values.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    values
}

#[test]
fn the_languages_own_numbers() {
    let x = Const::f32(1.0 + 2f32.powi(-12));
    let z = Const::f32(-(1.0 + 2f32.powi(-11)));
    assert_eq!(fma(x, x, z), Const::f32(2f32.powi(-24)));
    assert_eq!(binary(BinaryOp::Add, binary(BinaryOp::Mul, x, x), z), Const::f32(0.0));
    for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        let [a, b, r] = [-5.5, 2.0, -1.5].map(|v| f(scalar, v));
        assert_eq!(binary(BinaryOp::Rem, a, b), r, "{scalar}");
        let [one, nan] = [1.0, f64::NAN].map(|v| f(scalar, v));
        let [zero, minus_zero] = [0.0, -0.0].map(|v| f(scalar, v));
        for (op, expected) in [(BinaryOp::Min, minus_zero), (BinaryOp::Max, zero)] {
            assert_eq!(binary(op, nan, one), one, "{op} {scalar}");
            assert_eq!(binary(op, one, nan), one, "{op} {scalar}");
            assert!(binary(op, nan, nan).is_nan(), "{op} {scalar}");
            assert_eq!(binary(op, zero, minus_zero), expected, "{op} {scalar}");
            assert_eq!(binary(op, minus_zero, zero), expected, "{op} {scalar}");
        }
        for (op, expected) in [(BinaryOp::MinNan, minus_zero), (BinaryOp::MaxNan, zero)] {
            assert!(binary(op, nan, one).is_nan(), "{op} {scalar}");
            assert!(binary(op, one, nan).is_nan(), "{op} {scalar}");
            assert_eq!(binary(op, zero, minus_zero), expected, "{op} {scalar}");
            assert_eq!(binary(op, minus_zero, zero), expected, "{op} {scalar}");
        }
        for pred in [CmpPred::Eq, CmpPred::Lt, CmpPred::Le, CmpPred::Gt, CmpPred::Ge] {
            assert!(!cmp(pred, nan, nan), "{pred}");
            assert!(!cmp(pred, nan, one), "{pred}");
        }
        assert!(cmp(CmpPred::Ne, nan, nan));
        assert!(cmp(CmpPred::Eq, zero, minus_zero));
    }
    // A running sum of bf16 ones: each partial sum is exact up to 256, and then stays.
    let one = f(Scalar::BF16, 1.0);
    let sum = (0..512).fold(f(Scalar::BF16, 0.0), |sum, _| binary(BinaryOp::Add, sum, one));
    assert_eq!(value(sum), 256.0);
}

#[test]
fn denormals_are_kept() {
    let tiny = Const::f32(f32::from_bits(1));
    assert_eq!(binary(BinaryOp::Add, tiny, tiny), Const::f32(f32::from_bits(2)));
    let half = Const::f32(0.5);
    assert_eq!(
        binary(BinaryOp::Mul, Const::f32(f32::MIN_POSITIVE), half),
        Const::f32(f32::MIN_POSITIVE / 2.0)
    );
}

#[test]
fn signs_move_bits_alone() {
    let nan = Const::from_bits(Scalar::F32, 0x7FA0_1234);
    assert_eq!(unary(UnaryOp::Neg, nan).bits(), 0xFFA0_1234);
    assert_eq!(unary(UnaryOp::Abs, unary(UnaryOp::Neg, nan)), nan);
    assert_eq!(unary(UnaryOp::Neg, f(Scalar::F16, 0.0)), f(Scalar::F16, -0.0));
}

#[test]
fn roundings_to_integers() {
    for (x, floor, ceil, trunc, round, even) in [
        (2.5, 2.0, 3.0, 2.0, 3.0, 2.0),
        (-2.5, -3.0, -2.0, -2.0, -3.0, -2.0),
        (3.5, 3.0, 4.0, 3.0, 4.0, 4.0),
        (-0.25, -1.0, -0.0, -0.0, -0.0, -0.0),
        (-0.0, -0.0, -0.0, -0.0, -0.0, -0.0),
        (0.4375, 0.0, 1.0, 0.0, 0.0, 0.0),
        (
            f64::INFINITY,
            f64::INFINITY,
            f64::INFINITY,
            f64::INFINITY,
            f64::INFINITY,
            f64::INFINITY,
        ),
    ] {
        for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
            for (op, expected) in [
                (UnaryOp::Floor, floor),
                (UnaryOp::Ceil, ceil),
                (UnaryOp::Trunc, trunc),
                (UnaryOp::Round, round),
                (UnaryOp::RoundEven, even),
            ] {
                assert_eq!(unary(op, f(scalar, x)), f(scalar, expected), "{op} {x} {scalar}");
            }
        }
    }
    // The largest f32 below one half: adding a half and flooring would give 1.
    let below = Const::f32(0.49999997);
    assert_eq!(unary(UnaryOp::Round, below), Const::f32(0.0));
}

/// Of two operands, where C says what comes out: zeros, infinities and NaN.
#[test]
fn functions_of_two_numbers_at_their_corners() {
    use BinaryOp::*;
    let (infinity, nan) = (f64::INFINITY, f64::NAN);
    for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        for (op, x, y, expected) in [
            (Atan2, 0.0, 1.0, 0.0),
            (Atan2, -0.0, 1.0, -0.0),
            (Atan2, -0.0, 0.0, -0.0),
            (Atan2, 1.0, infinity, 0.0),
            (Atan2, nan, 1.0, nan),
            (Fdim, 3.0, 1.5, 1.5),
            (Fdim, 1.5, 3.0, 0.0),
            (Fdim, -0.0, 0.0, 0.0),
            (Fdim, infinity, infinity, 0.0),
            (Fdim, infinity, -infinity, infinity),
            (Fdim, nan, 1.0, nan),
            (Fdim, 1.0, nan, nan),
            (Hypot, 3.0, -4.0, 5.0),
            (Hypot, -0.0, -0.0, 0.0),
            (Hypot, -infinity, nan, infinity),
            (Hypot, nan, infinity, infinity),
            (Hypot, nan, 1.0, nan),
            (Remainder, 5.0, 3.0, -1.0),
            (Remainder, 5.0, 2.0, 1.0),
            (Remainder, 7.0, 2.0, -1.0),
            (Remainder, -4.0, 2.0, -0.0),
            (Remainder, 2.5, infinity, 2.5),
            (Remainder, infinity, 2.0, nan),
            (Remainder, 1.0, 0.0, nan),
            (Remainder, nan, 1.0, nan),
        ] {
            let found = binary(op, f(scalar, x), f(scalar, y));
            assert!(same(found, f(scalar, expected)), "{op} {x} {y} {scalar}: {found:?}");
        }
        for (x, n, expected) in [
            (-2.0, 3, -8.0),
            (-2.0, -1, -0.5),
            (nan, 0, 1.0),
            (1.0, i32::MIN, 1.0),
            (-1.0, i32::MAX, -1.0),
            (-1.0, i32::MIN, 1.0),
            (-0.0, -3, -infinity),
            (-0.0, 2, 0.0),
            (-infinity, 3, -infinity),
            (-infinity, -3, -0.0),
            (nan, 1, nan),
        ] {
            let found = binary(PowI, f(scalar, x), Const::i32(n));
            assert!(same(found, f(scalar, expected)), "powi {x} {n} {scalar}: {found:?}");
        }
    }
    for (x, y, expected) in [
        (0.0, 1.0, f64::from(f32::from_bits(1))),
        (0.0, -0.0, -0.0),
        (1.0, infinity, f64::from(1.0f32.next_up())),
        (1.0, -infinity, f64::from(1.0f32.next_down())),
        (f64::from(f32::MAX), infinity, infinity),
        (nan, 1.0, nan),
    ] {
        let found = binary(NextAfter, f(Scalar::F32, x), f(Scalar::F32, y));
        assert!(same(found, f(Scalar::F32, expected)), "nextafter {x} {y}: {found:?}");
    }
    let after = binary(NextAfter, f(Scalar::F64, 1.0), f(Scalar::F64, 2.0));
    assert_eq!(after, f(Scalar::F64, 1.0f64.next_up()));
}

#[test]
fn functions_at_points_that_are_known() {
    for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        for (op, x, y) in [
            (UnaryOp::Exp, 0.0, 1.0),
            (UnaryOp::Exp, f64::NEG_INFINITY, 0.0),
            (UnaryOp::Exp2, -3.0, 0.125),
            (UnaryOp::Expm1, -0.0, -0.0),
            (UnaryOp::Log, 1.0, 0.0),
            (UnaryOp::Log, 0.0, f64::NEG_INFINITY),
            (UnaryOp::Log2, 8.0, 3.0),
            (UnaryOp::Log10, 100.0, 2.0),
            (UnaryOp::Log1p, 0.0, 0.0),
            (UnaryOp::Sin, -0.0, -0.0),
            (UnaryOp::Cos, 0.0, 1.0),
            (UnaryOp::Tan, 0.0, 0.0),
            (UnaryOp::Tanh, f64::INFINITY, 1.0),
            (UnaryOp::Erf, f64::NEG_INFINITY, -1.0),
            (UnaryOp::Sqrt, 9.0, 3.0),
            (UnaryOp::SqrtRn, -0.0, -0.0),
            (UnaryOp::Rsqrt, 4.0, 0.5),
            (UnaryOp::Rsqrt, 0.0, f64::INFINITY),
            (UnaryOp::Acos, 1.0, 0.0),
            (UnaryOp::Acosh, 1.0, 0.0),
            (UnaryOp::Acosh, f64::INFINITY, f64::INFINITY),
            (UnaryOp::Asin, -0.0, -0.0),
            (UnaryOp::Asinh, f64::NEG_INFINITY, f64::NEG_INFINITY),
            (UnaryOp::Asinh, -0.0, -0.0),
            (UnaryOp::Atan, -0.0, -0.0),
            (UnaryOp::Atanh, 1.0, f64::INFINITY),
            (UnaryOp::Atanh, -1.0, f64::NEG_INFINITY),
            (UnaryOp::Atanh, -0.0, -0.0),
            (UnaryOp::Cbrt, -27.0, -3.0),
            (UnaryOp::Cbrt, -0.0, -0.0),
            (UnaryOp::Cosh, 0.0, 1.0),
            (UnaryOp::Cosh, f64::NEG_INFINITY, f64::INFINITY),
            (UnaryOp::CosPi, 0.5, 0.0),
            (UnaryOp::CosPi, -1.5, 0.0),
            (UnaryOp::CosPi, 7.0, -1.0),
            (UnaryOp::CosPi, 256.0, 1.0),
            (UnaryOp::Erfc, 0.0, 1.0),
            (UnaryOp::Erfc, f64::INFINITY, 0.0),
            (UnaryOp::Erfc, f64::NEG_INFINITY, 2.0),
            (UnaryOp::Exp10, 2.0, 100.0),
            (UnaryOp::Exp10, f64::NEG_INFINITY, 0.0),
            (UnaryOp::Lgamma, 1.0, 0.0),
            (UnaryOp::Lgamma, 2.0, 0.0),
            (UnaryOp::Lgamma, -0.0, f64::INFINITY),
            (UnaryOp::Lgamma, -3.0, f64::INFINITY),
            (UnaryOp::Lgamma, f64::NEG_INFINITY, f64::INFINITY),
            (UnaryOp::Sinh, -0.0, -0.0),
            (UnaryOp::Sinh, f64::NEG_INFINITY, f64::NEG_INFINITY),
            (UnaryOp::SinPi, 0.5, 1.0),
            (UnaryOp::SinPi, 1.5, -1.0),
            (UnaryOp::SinPi, 1.0, 0.0),
            (UnaryOp::SinPi, -2.0, -0.0),
            (UnaryOp::SinPi, -0.0, -0.0),
            (UnaryOp::Tgamma, 5.0, 24.0),
            (UnaryOp::Tgamma, 0.0, f64::INFINITY),
            (UnaryOp::Tgamma, -0.0, f64::NEG_INFINITY),
        ] {
            assert_eq!(unary(op, f(scalar, x)), f(scalar, y), "{op} {x} {scalar}");
        }
        for (op, x) in [
            (UnaryOp::Log, -1.0),
            (UnaryOp::Sqrt, -1.0),
            (UnaryOp::Sin, f64::INFINITY),
            (UnaryOp::Acos, 1.5),
            (UnaryOp::Acosh, 0.5),
            (UnaryOp::Acosh, f64::NEG_INFINITY),
            (UnaryOp::Asin, -1.5),
            (UnaryOp::Atanh, 2.0),
            (UnaryOp::CosPi, f64::INFINITY),
            (UnaryOp::SinPi, f64::NEG_INFINITY),
            (UnaryOp::Tgamma, -3.0),
            (UnaryOp::Tgamma, f64::NEG_INFINITY),
        ] {
            assert_eq!(unary(op, f(scalar, x)), nan(scalar), "{op} {x} {scalar}");
        }
        assert_eq!(binary(BinaryOp::Pow, f(scalar, -2.0), f(scalar, 3.0)), f(scalar, -8.0));
        assert_eq!(
            binary(BinaryOp::Pow, f(scalar, f64::NAN), f(scalar, 0.0)),
            f(scalar, 1.0)
        );
    }
}

/// Over a whole turn and beyond, in parts of a half: sines and cosines of pi x are those of the remainder.
#[test]
fn parts_of_pi() {
    for i in -80..=80 {
        let x = f64::from(i) / 16.0;
        let angle = std::f64::consts::PI * (x % 2.0);
        for (op, expected) in [(UnaryOp::SinPi, angle.sin()), (UnaryOp::CosPi, angle.cos())] {
            let found = value(unary(op, f(Scalar::F64, x)));
            assert!((found - expected).abs() < 1e-14, "{op} {x}: {found} for {expected}");
            // At multiples of a half they are exact, and zeros have the sign of x, or none.
            if i % 8 == 0 {
                assert_eq!(found, expected.round(), "{op} {x}");
                let sign = op == UnaryOp::SinPi && x.is_sign_negative();
                assert!(found != 0.0 || found.is_sign_negative() == sign, "{op} {x}: {found}");
            }
        }
    }
}

/// The halfway points to the two neighbours of a result bracket the exact root, for every positive f16 and bf16.
#[test]
fn every_half_square_root_is_nearest() {
    for scalar in NARROW {
        let values = all_finite(scalar);
        for x in values.iter().copied().filter(|x| value(*x) > 0.0) {
            let root = unary(UnaryOp::SqrtRn, x);
            let at = values.binary_search_by(|v| value(*v).total_cmp(&value(root))).unwrap();
            // Halfway points to the neighbours have at most 12 digits, so their squares are exact in f64.
            let half = |other: Const| (value(root) + value(other)) / 2.0;
            let (low, high) = (half(values[at - 1]), half(values[at + 1]));
            assert!(
                low * low <= value(x) && value(x) <= high * high,
                "sqrt {x:?} = {root:?}"
            );
        }
    }
}

/// An integer with a power of two: exact arithmetic for the checks below.
#[derive(Clone, Copy)]
struct Exact(i128, i32);

impl Exact {
    fn of(c: Const) -> Exact {
        let (m, e) = libm::frexp(value(c));
        Exact((m * 2f64.powi(53)) as i128, e - 53)
    }

    fn mul(self, other: Exact) -> Exact {
        Exact(self.0 * other.0, self.1 + other.1).reduced()
    }

    fn reduced(self) -> Exact {
        if self.0 == 0 {
            return Exact(0, 0);
        }
        let zeros = self.0.trailing_zeros();
        Exact(self.0 >> zeros, self.1 + zeros as i32)
    }

    /// The nearest value of the scalar type to `self + other`, ties to even, by way of integers alone; none if the
    /// two are too far apart for 128 bits.
    fn add_rounded(self, other: Exact, scalar: Scalar) -> Option<f64> {
        let (a, b) = (self.reduced(), other.reduced());
        let low = if a.0 == 0 {
            b.1
        } else if b.0 == 0 {
            a.1
        } else {
            a.1.min(b.1)
        };
        let at = |x: Exact| {
            if x.0 == 0 {
                Some(0)
            } else {
                (x.1 - low < 90).then(|| x.0 << (x.1 - low))
            }
        };
        let sum = at(a)? + at(b)?;
        let (digits, lowest) = if scalar == Scalar::F16 { (11, -24) } else { (8, -133) };
        let magnitude = sum.unsigned_abs();
        let length = 128 - magnitude.leading_zeros() as i32;
        let drop = (length - digits).max(lowest - low).max(0);
        let (kept, rest) = if drop >= 127 {
            (0, 0)
        } else {
            (magnitude >> drop, magnitude & ((1 << drop) - 1))
        };
        let half = if drop == 0 || drop >= 127 {
            u128::MAX
        } else {
            1 << (drop - 1)
        };
        let up = rest > half || (rest == half && kept & 1 == 1);
        let result = (kept + u128::from(up)) as f64 * 2f64.powi(low + drop);
        Some(if sum < 0 { -result } else { result })
    }
}

/// A product halfway between two neighbours: the addend, however small, decides, and the even one is the result without.
#[test]
fn addends_break_the_ties_of_fused_products() {
    for (scalar, digits) in [(Scalar::F16, 11), (Scalar::BF16, 8), (Scalar::F32, 24)] {
        // Odd products of one digit too many.
        let (low, high) = (1u64 << digits, 2u64 << digits);
        let first = (low as f64).sqrt() as u64 | 1;
        let pairs = (0..8).map(|i| (first + 2 * i, ((low / (first + 2 * i)) | 1) + 2));
        // f16 has nothing below 2^-24.
        let smallest = if scalar == Scalar::F16 { 24 } else { 120 };
        for (x, y) in pairs {
            let tie = x * y;
            assert!(low < tie && tie < high && tie % 2 == 1, "{x} {y}");
            let even = if tie % 4 == 1 { tie - 1 } else { tie + 1 };
            let mut cases = vec![(0.0, even)];
            for exponent in 2..=smallest {
                for digit in [1.0, 3.0] {
                    let small = digit * 2f64.powi(-exponent);
                    cases.extend([(small, tie + 1), (-small, tie - 1)]);
                }
            }
            for (addend, expected) in cases {
                for sign in [1.0, -1.0] {
                    let [a, b, c] = [x as f64 * sign, y as f64, addend * sign].map(|v| f(scalar, v));
                    let expected = f(scalar, expected as f64 * sign);
                    assert_eq!(fma(a, b, c), expected, "{a} * {b} + {c} in {scalar}");
                }
            }
        }
    }
}

/// A product of about half the last digit of the addend: a little less leaves the addend, a little more goes on to its
/// neighbour, and exactly half to the even one of the two.
#[test]
fn fused_products_round_the_addend() {
    for (scalar, digits) in [(Scalar::F16, 11), (Scalar::BF16, 8), (Scalar::F32, 24)] {
        let unit = 2f64.powi(1 - digits);
        let half = [2f64.powi(-(digits / 2)), 2f64.powi(digits / 2 - digits)];
        // The last digits of both factors: less than half, half, more.
        for (first, second, order) in [(unit, -unit, -1), (0.0, 0.0, 0), (unit, 0.0, 1), (unit, unit, 1)] {
            let [x, y] = [half[0] * (1.0 + first), half[1] * (1.0 + second)];
            for (addend, toward) in [
                (1.0, 1.0),
                (1.0 + unit, 1.0),
                (1.0 + unit, -1.0),
                (1.0 + 2.0 * unit, -1.0),
            ] {
                let odd = addend == 1.0 + unit;
                let moves = order > 0 || (order == 0 && odd);
                let expected = if moves { addend + toward * unit } else { addend };
                for sign in [1.0, -1.0] {
                    let [a, b, c, r] = [x * toward * sign, y, addend * sign, expected * sign].map(|v| f(scalar, v));
                    assert_eq!(fma(a, b, c), r, "{a} * {b} + {c} in {scalar}");
                }
            }
        }
    }
}

/// What no type but `f64` holds exactly is rounded to `f32` first, and from there to a narrower type.
#[test]
fn functions_of_narrow_numbers_round_to_f32_first() {
    let functions = [UnaryOp::Exp, UnaryOp::Log, UnaryOp::Sin]
        .into_iter()
        .zip([libm::exp, libm::log, libm::sin]);
    let mut differ = 0;
    for scalar in NARROW {
        for x in all_finite(scalar) {
            for (op, function) in functions.clone() {
                let exact = function(value(x));
                let expected = f(scalar, f64::from(exact as f32));
                assert!(same(unary(op, x), expected), "{op} {x} {scalar}");
                differ += usize::from(!same(f(scalar, exact), expected));
            }
        }
    }
    assert!(differ > 0, "two roundings and one never differ");
}

/// Beyond the integers that a type tells apart all numbers are even, and half turns whole.
#[test]
fn turns_of_large_numbers() {
    for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        let largest = value(Const::from_bits(scalar, f(scalar, f64::INFINITY).bits() - 1));
        for x in [largest, -largest, largest / 4.0] {
            assert_eq!(
                unary(UnaryOp::CosPi, f(scalar, x)),
                f(scalar, 1.0),
                "cospi {x} {scalar}"
            );
            let zero = f(scalar, 0f64.copysign(x));
            assert_eq!(unary(UnaryOp::SinPi, f(scalar, x)), zero, "sinpi {x} {scalar}");
        }
    }
    for (x, cosine) in [
        (2f64.powi(52) + 1.0, -1.0),
        (2f64.powi(53) - 1.0, -1.0),
        (2f64.powi(53), 1.0),
    ] {
        assert_eq!(unary(UnaryOp::CosPi, f(Scalar::F64, x)), f(Scalar::F64, cosine), "{x}");
    }
    let half = 2f64.powi(51) + 1.5;
    assert_eq!(unary(UnaryOp::SinPi, f(Scalar::F64, half)), f(Scalar::F64, -1.0));
}

/// Each predicate of each pair, among them zeros, infinities and NaN.
#[test]
fn comparisons() {
    let numbers = [f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1.0, f64::INFINITY, f64::NAN];
    for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        for (x, y) in numbers.iter().flat_map(|&x| numbers.map(|y| (x, y))) {
            let order = x.partial_cmp(&y);
            for (pred, expected) in [
                (CmpPred::Eq, order == Some(Ordering::Equal)),
                (CmpPred::Ne, order != Some(Ordering::Equal)),
                (CmpPred::Lt, order == Some(Ordering::Less)),
                (CmpPred::Le, matches!(order, Some(Ordering::Less | Ordering::Equal))),
                (CmpPred::Gt, order == Some(Ordering::Greater)),
                (CmpPred::Ge, matches!(order, Some(Ordering::Greater | Ordering::Equal))),
            ] {
                assert_eq!(
                    cmp(pred, f(scalar, x), f(scalar, y)),
                    expected,
                    "{x} {pred} {y} {scalar}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// f16 and bf16 sums, products and fused products against integer arithmetic.
    #[test]
    fn narrow_arithmetic_is_nearest(a in 0u64..0x10000, b in 0u64..0x10000, c in 0u64..0x10000, bf in any::<bool>(), near in any::<bool>()) {
        let scalar = if bf { Scalar::BF16 } else { Scalar::F16 };
        let [x, y] = [a, b].map(|bits| Const::from_bits(scalar, bits));
        // Often the addend is near the product, where cancellation and ties happen.
        let z = if near {
            Const::from_bits(scalar, (binary(BinaryOp::Mul, x, y).bits() ^ 0x8000).wrapping_add(c % 5))
        } else {
            Const::from_bits(scalar, c)
        };
        let max = if bf { f64::from(f32::from_bits(0x7F7F_0000)) } else { 65504.0 };
        let check = |result: Const, expected: Option<f64>, what: &str| {
            let Some(expected) = expected else { return Ok(()) };
            if expected.abs() > max {
                prop_assert!(value(result).is_infinite(), "{} {:?} {:?} {:?}: {:?}", what, x, y, z, result);
            } else {
                prop_assert_eq!(value(result), expected, "{} {:?} {:?} {:?}", what, x, y, z);
            }
            Ok(())
        };
        if [x, y, z].iter().all(|v| value(*v).is_finite()) {
            let (ex, ey, ez) = (Exact::of(x), Exact::of(y), Exact::of(z));
            check(binary(BinaryOp::Add, x, y), ex.add_rounded(ey, scalar), "add")?;
            check(binary(BinaryOp::Mul, x, y), ex.mul(ey).add_rounded(Exact(0, 0), scalar), "mul")?;
            check(fma(x, y, z), ex.mul(ey).add_rounded(ez, scalar), "fma")?;
        }
    }

    #[test]
    fn f32_and_f64_are_rusts(a: u32, b: u32, c: u32, d: u64, e: u64, g: u64) {
        let [x, y, z] = [a, b, c].map(f32::from_bits);
        let [p, q, r] = [x, y, z].map(Const::f32);
        for (op, expected) in [
            (BinaryOp::Add, x + y),
            (BinaryOp::Sub, x - y),
            (BinaryOp::Mul, x * y),
            (BinaryOp::Div, x / y),
            (BinaryOp::DivRn, x / y),
            (BinaryOp::Rem, x % y),
        ] {
            prop_assert!(same(binary(op, p, q), Const::f32(expected)), "{} {} {}", op, x, y);
        }
        prop_assert!(same(fma(p, q, r), Const::f32(x.mul_add(y, z))));
        prop_assert!(same(unary(UnaryOp::Sqrt, p), Const::f32(x.sqrt())));
        prop_assert!(same(unary(UnaryOp::Round, p), Const::f32(x.round())));
        prop_assert!(same(unary(UnaryOp::RoundEven, p), Const::f32(x.round_ties_even())));
        prop_assert_eq!(cmp(CmpPred::Lt, p, q), x < y);
        prop_assert_eq!(cmp(CmpPred::Ne, p, q), x != y);

        let [x, y, z] = [d, e, g].map(f64::from_bits);
        let [p, q, r] = [x, y, z].map(|v| Const::from_f64(Scalar::F64, v));
        let c = |v: f64| Const::from_f64(Scalar::F64, v);
        for (op, expected) in [
            (BinaryOp::Add, x + y),
            (BinaryOp::Sub, x - y),
            (BinaryOp::Mul, x * y),
            (BinaryOp::Div, x / y),
            (BinaryOp::Rem, x % y),
        ] {
            prop_assert!(same(binary(op, p, q), c(expected)), "{} {} {}", op, x, y);
        }
        prop_assert!(same(fma(p, q, r), c(x.mul_add(y, z))));
        prop_assert!(same(unary(UnaryOp::Sqrt, p), c(x.sqrt())));
    }

    /// Within the language's bounds of the platform's own double-precision functions.
    #[test]
    fn f32_functions_are_close(x in -80f32..80.0) {
        let v = f64::from(x);
        for (op, exact) in [
            (UnaryOp::Exp, v.exp()),
            (UnaryOp::Exp2, v.exp2()),
            (UnaryOp::Expm1, v.exp_m1()),
            (UnaryOp::Sin, v.sin()),
            (UnaryOp::Cos, v.cos()),
            (UnaryOp::Tan, v.tan()),
            (UnaryOp::Tanh, v.tanh()),
            (UnaryOp::Log, v.abs().ln()),
            (UnaryOp::Log2, v.abs().log2()),
            (UnaryOp::Log10, v.abs().log10()),
            (UnaryOp::Log1p, v.abs().ln_1p()),
            (UnaryOp::Rsqrt, 1.0 / v.abs().sqrt()),
        ] {
            let argument = if matches!(op, UnaryOp::Log | UnaryOp::Log2 | UnaryOp::Log10 | UnaryOp::Log1p | UnaryOp::Rsqrt) {
                x.abs()
            } else {
                x
            };
            let result = value(unary(op, Const::f32(argument)));
            prop_assert!((result - exact).abs() <= exact.abs() * 2f64.powi(-23), "{} {}: {} {}", op, x, result, exact);
        }
    }
}
