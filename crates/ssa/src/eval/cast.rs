//! Conversions between number types.

use crate::constant::Const;
use crate::op::CastKind;
use crate::types::Scalar;

pub(super) fn cast(kind: CastKind, x: Const, to: Scalar) -> Const {
    match kind {
        // The only bit of an `i1` is copied as a sign would be.
        CastKind::SExt if x.scalar() == Scalar::I1 => Const::from_bits(to, x.bits().wrapping_neg()),
        CastKind::SExt => Const::from_bits(to, signed(x) as u64),
        CastKind::ZExt | CastKind::Trunc | CastKind::Bitcast => Const::from_bits(to, x.bits()),
        // `from_f64` and `from_int` round once; what goes in is the exact value.
        CastKind::FExt | CastKind::FTrunc | CastKind::FToS => Const::from_f64(to, float(x)),
        CastKind::SToF => Const::from_int(to, i128::from(signed(x))),
        CastKind::UToF => Const::from_int(to, i128::from(x.bits())),
        CastKind::FToU => {
            let v = float(x);
            let bits = match to {
                Scalar::I8 => u64::from(v as u8),
                Scalar::I16 => u64::from(v as u16),
                Scalar::I32 => u64::from(v as u32),
                _ => v as u64,
            };
            Const::from_bits(to, bits)
        }
    }
}

fn signed(x: Const) -> i64 {
    x.as_signed().expect("an integer")
}

fn float(x: Const) -> f64 {
    x.as_f64().expect("a floating-point number")
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;

    const INTS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];

    /// Every `f16` and `bf16` to every integer type: truncated and clamped in exact arithmetic, NaN 0.
    #[test]
    fn every_half_to_every_integer() {
        for from in [Scalar::F16, Scalar::BF16] {
            for bits in 0..=u64::from(u16::MAX) {
                let x = Const::from_bits(from, bits);
                let v = x.as_f64().unwrap();
                // Far beyond 64 bits, where i128 still holds the truncated value, clamping takes over.
                let whole = if v.is_nan() {
                    0
                } else {
                    v.clamp(-1e30, 1e30).trunc() as i128
                };
                for to in INTS {
                    let (low, high) = (-1i128 << (to.bits() - 1), (1i128 << (to.bits() - 1)) - 1);
                    let signed = Const::from_int(to, whole.clamp(low, high));
                    assert_eq!(cast(CastKind::FToS, x, to), signed, "{x:?} to signed {to}");
                    let unsigned = Const::from_int(to, whole.clamp(0, 2 * high + 1));
                    assert_eq!(cast(CastKind::FToU, x, to), unsigned, "{x:?} to unsigned {to}");
                }
            }
        }
    }

    /// Every `i16` to the halves: an `i16` is exact in `f32`, so `half` rounds once here.
    #[test]
    fn every_i16_to_half() {
        for v in i16::MIN..=i16::MAX {
            let x = Const::from_int(Scalar::I16, i128::from(v));
            let f = cast(CastKind::SToF, x, Scalar::F16);
            assert_eq!(f.bits(), u64::from(f16::from_f32(f32::from(v)).to_bits()), "f16 {v}");
            let f = cast(CastKind::SToF, x, Scalar::BF16);
            assert_eq!(f.bits(), u64::from(bf16::from_f32(f32::from(v)).to_bits()), "bf16 {v}");
            let u = cast(CastKind::UToF, x, Scalar::F32);
            assert_eq!(u, Const::f32(f32::from(v as u16)), "f32 {v}");
        }
    }

    /// Every half widened and narrowed again is itself.
    #[test]
    fn halves_survive_widening() {
        for from in [Scalar::F16, Scalar::BF16] {
            for bits in 0..=u64::from(u16::MAX) {
                let x = Const::from_bits(from, bits);
                for wide in [Scalar::F32, Scalar::F64] {
                    let back = cast(CastKind::FTrunc, cast(CastKind::FExt, x, wide), from);
                    assert!(back == x || (x.is_nan() && back.is_nan()), "{x:?} through {wide}");
                }
            }
        }
    }

    #[test]
    fn truth_values() {
        let t = Const::bool(true);
        for to in INTS {
            assert_eq!(cast(CastKind::SExt, t, to).as_signed(), Some(-1));
            assert_eq!(cast(CastKind::ZExt, t, to).as_signed(), Some(1));
        }
        for to in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
            assert_eq!(cast(CastKind::SToF, t, to).as_f64(), Some(1.0));
            assert_eq!(cast(CastKind::UToF, t, to).as_f64(), Some(1.0));
        }
        assert_eq!(cast(CastKind::Trunc, Const::i32(2), Scalar::I1), Const::bool(false));
        assert_eq!(cast(CastKind::Trunc, Const::i32(-1), Scalar::I1), t);
    }

    #[test]
    fn one_rounding_from_any_source() {
        let f64c = |v: f64| Const::from_f64(Scalar::F64, v);
        for (value, bits) in [
            (65519.996, 0x7BFF),
            (65520.0, 0x7C00),
            (1.00048828125, 0x3C00),
            (1.00146484375, 0x3C02),
            (1.00048828125 + 2f64.powi(-40), 0x3C01),
        ] {
            assert_eq!(cast(CastKind::FTrunc, f64c(value), Scalar::F16).bits(), bits, "{value}");
        }
        for (value, expected) in [(1.00390625, 1.0), (259.0, 260.0), (257.0, 256.0), (33000.0, 33024.0)] {
            let rounded = cast(CastKind::FTrunc, f64c(value), Scalar::BF16);
            assert_eq!(rounded.as_f64(), Some(expected), "{value}");
        }
        let tie = (1i128 << 62) + (1 << 54);
        let x = Const::from_int(Scalar::I64, tie + 1);
        assert_eq!(
            cast(CastKind::SToF, x, Scalar::BF16).as_f64(),
            Some(2f64.powi(62) + 2f64.powi(55))
        );
        // Above f16's range, and the largest integer of all.
        let x = Const::from_int(Scalar::I64, -1);
        assert_eq!(cast(CastKind::UToF, x, Scalar::F16).as_f64(), Some(f64::INFINITY));
        assert_eq!(cast(CastKind::UToF, x, Scalar::F64).as_f64(), Some(2f64.powi(64)));
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_rust(x: f64, i: i64) {
            let c = Const::from_f64(Scalar::F64, x);
            let s = Const::from_int(Scalar::I64, i128::from(i));
            proptest::prop_assert_eq!(cast(CastKind::FToS, c, Scalar::I32), Const::i32(x as i32));
            proptest::prop_assert_eq!(cast(CastKind::FToU, c, Scalar::I64).bits(), x as u64);
            proptest::prop_assert_eq!(cast(CastKind::FToU, c, Scalar::I8).bits(), u64::from(x as u8));
            if !x.is_nan() {
                proptest::prop_assert_eq!(cast(CastKind::FTrunc, c, Scalar::F32), Const::f32(x as f32));
            }
            proptest::prop_assert_eq!(cast(CastKind::SToF, s, Scalar::F32), Const::f32(i as f32));
            proptest::prop_assert_eq!(cast(CastKind::UToF, s, Scalar::F32), Const::f32(i as u64 as f32));
            proptest::prop_assert_eq!(cast(CastKind::Trunc, s, Scalar::I16).bits(), u64::from(i as u16));
            let bits = cast(CastKind::Bitcast, c, Scalar::I64).bits();
            proptest::prop_assert_eq!(bits, x.to_bits());
        }
    }
}
