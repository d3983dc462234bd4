//! Device functions for what C++ leaves undefined or has no operator for. A source contains those that it uses.

/// One function: its name, those that it calls, and its text.
pub(crate) struct Helper {
    pub name: &'static str,
    pub needs: &'static [&'static str],
    pub text: &'static str,
}

/// All of them, each after those that it calls.
pub(crate) const HELPERS: &[Helper] = &[
    Helper {
        name: "mt_at",
        needs: &[],
        text: "\
// The address i elements further; wraps, and need not be one of an object.
template <typename T> __device__ inline T* mt_at(T* p, i64 i) { return (T*)((char*)p + (i64)((u64)i * sizeof(T))); }
",
    },
    Helper {
        name: "mt_coordinate",
        needs: &[],
        text: "\
// A coordinate of an axis; what is none gives the last one.
template <typename U> __device__ inline u32 mt_coordinate(U i, u32 extent) { return (u64)i < extent ? (u32)i : extent - 1; }
",
    },
    Helper {
        name: "mt_shl",
        needs: &[],
        text: "\
// Shifts of any amount: from the width on the result is 0, or the sign.
template <typename U> __device__ inline U mt_shl(U x, U n) { return n < 8 * sizeof(U) ? (U)((u64)x << n) : (U)0; }
",
    },
    Helper {
        name: "mt_shr_u",
        needs: &[],
        text: "\
template <typename U> __device__ inline U mt_shr_u(U x, U n) { return n < 8 * sizeof(U) ? (U)(x >> n) : (U)0; }
",
    },
    Helper {
        name: "mt_shr_s",
        needs: &[],
        text: "\
template <typename S, typename U> __device__ inline U mt_shr_s(S x, U n) {
  return (U)(x >> (n < 8 * sizeof(U) ? (int)n : (int)(8 * sizeof(U) - 1)));
}
",
    },
    Helper {
        name: "mt_div_s",
        needs: &[],
        text: "\
// Division that is total: by zero it gives 0, by -1 it wraps.
template <typename S> __device__ inline S mt_div_s(S a, S b) {
  return b == 0 ? (S)0 : b == -1 ? (S)(0 - (u64)a) : (S)(a / b);
}
",
    },
    Helper {
        name: "mt_rem_s",
        needs: &[],
        text: "\
template <typename S> __device__ inline S mt_rem_s(S a, S b) { return b == 0 || b == -1 ? (S)0 : (S)(a % b); }
",
    },
    Helper {
        name: "mt_div_u",
        needs: &[],
        text: "\
template <typename U> __device__ inline U mt_div_u(U a, U b) { return b == 0 ? (U)0 : (U)(a / b); }
",
    },
    Helper {
        name: "mt_rem_u",
        needs: &[],
        text: "\
template <typename U> __device__ inline U mt_rem_u(U a, U b) { return b == 0 ? (U)0 : (U)(a % b); }
",
    },
    Helper {
        name: "mt_trips",
        needs: &[],
        text: "\
// How often a loop from lower up to (not including) upper runs; a step below 1 makes none.
__device__ inline u64 mt_trips(i64 lower, i64 upper, i64 step) {
  return lower < upper && step > 0 ? ((u64)upper - (u64)lower - 1) / (u64)step + 1 : 0;
}
",
    },
    Helper {
        name: "mt_below",
        needs: &[],
        text: "\
// Is a less than b, with -0 below +0? False for NaN.
__device__ inline bool mt_negative(f32 x) { return __float_as_uint(x) >> 31 != 0; }
__device__ inline bool mt_negative(f64 x) { return (u64)__double_as_longlong(x) >> 63 != 0; }
template <typename F> __device__ inline bool mt_below(F a, F b) {
  return a < b || (a == b && mt_negative(a) && !mt_negative(b));
}
",
    },
    Helper {
        name: "mt_min",
        needs: &["mt_below"],
        text: "\
// The smaller; a NaN counts only against another.
template <typename F> __device__ inline F mt_min(F a, F b) { return b != b || mt_below(a, b) ? a : b; }
",
    },
    Helper {
        name: "mt_max",
        needs: &["mt_below"],
        text: "\
// The larger; a NaN counts only against another.
template <typename F> __device__ inline F mt_max(F a, F b) { return b != b || mt_below(b, a) ? a : b; }
",
    },
    Helper {
        name: "mt_min_nan",
        needs: &["mt_below"],
        text: "\
// The smaller, NaN if either is.
template <typename F> __device__ inline F mt_min_nan(F a, F b) { return a != a || mt_below(a, b) ? a : b; }
",
    },
    Helper {
        name: "mt_max_nan",
        needs: &["mt_below"],
        text: "\
// The larger, NaN if either is.
template <typename F> __device__ inline F mt_max_nan(F a, F b) { return a != a || mt_below(b, a) ? a : b; }
",
    },
    Helper {
        name: "mt_to_signed",
        needs: &[],
        text: "\
// Truncates and saturates; NaN gives 0.
template <typename S> __device__ inline S mt_to_signed(f64 x) {
  const f64 bound = (f64)(1ull << (8 * sizeof(S) - 1));
  if (x != x) return 0;
  if (x >= bound) return (S)((1ull << (8 * sizeof(S) - 1)) - 1);
  if (x < -bound) return (S)(1ull << (8 * sizeof(S) - 1));
  return (S)(i64)x;
}
",
    },
    Helper {
        name: "mt_to_unsigned",
        needs: &[],
        text: "\
// Truncates and saturates; NaN gives 0.
template <typename U> __device__ inline U mt_to_unsigned(f64 x) {
  if (!(x > 0.0)) return 0;
  if (x >= 2.0 * (f64)(1ull << (8 * sizeof(U) - 1))) return (U)~0ull;
  return (U)(u64)x;
}
",
    },
    Helper {
        name: "mt_sticky",
        needs: &[],
        text: "\
// \"Round to odd\": what was rounded toward zero, its last bit set when digits were lost. Rounding that again to a type
// of at most 22 digits is rounding once.
__device__ inline f32 mt_sticky(f32 toward_zero, bool lost) {
  return __uint_as_float(__float_as_uint(toward_zero) | (u32)lost);
}
",
    },
    Helper {
        name: "mt_odd_f64",
        needs: &["mt_sticky"],
        text: "\
__device__ inline f32 mt_odd_f64(f64 x) { const f32 r = __double2float_rz(x); return mt_sticky(r, (f64)r != x); }
",
    },
    Helper {
        name: "mt_odd_s",
        needs: &["mt_sticky"],
        text: "\
__device__ inline f32 mt_odd_s(i64 x) { const f32 r = __ll2float_rz(x); return mt_sticky(r, (i64)r != x); }
",
    },
    Helper {
        name: "mt_odd_u",
        needs: &["mt_sticky"],
        text: "\
__device__ inline f32 mt_odd_u(u64 x) { const f32 r = __ull2float_rz(x); return mt_sticky(r, (u64)r != x); }
",
    },
    Helper {
        name: "mt_odd_fma",
        needs: &["mt_sticky"],
        text: "\
__device__ inline f32 mt_odd_fma(f32 a, f32 b, f32 c) {
  return mt_sticky(__fmaf_rz(a, b, c), __fmaf_rd(a, b, c) != __fmaf_ru(a, b, c));
}
",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stands_after_what_it_calls() {
        for (i, helper) in HELPERS.iter().enumerate() {
            assert!(helper.text.contains(&format!(" {}(", helper.name)), "{}", helper.name);
            for need in helper.needs {
                assert!(
                    HELPERS[..i].iter().any(|h| h.name == *need),
                    "{} needs {need}",
                    helper.name
                );
            }
        }
    }
}
