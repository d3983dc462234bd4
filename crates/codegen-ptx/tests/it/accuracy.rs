//! How accurate the mathematics library is, measured without a GPU.
//!
//! The library has no NVPTX intrinsic in it, its multiply-adds are fused and every other operation is an IEEE one, so
//! that the host computes the same bits from the same bitcode. The exceptions are the f32 functions of `libm/` that
//! use `llvm.exp2.f32`: `ex2.approx` on a GPU (2 ulp), the C library's exp2f here.
//!
//! The reference for f32 is the host's f64 mathematics, whose own error does not show. For f64 it has an error itself,
//! which is below one ulp and is added to the bound.

use std::fmt::Write;

use inkwell::context::Context;
use inkwell::execution_engine::ExecutionEngine;
use inkwell::module::Linkage;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::{OptimizationLevel, attributes::AttributeLoc};
use mytriton_codegen_ptx::math::{self, Function, Operands, Width};

/// Samples of each function and type.
const SAMPLES: u64 = 200_000;

/// The result of each function at some points, correctly rounded by the host's functions up to their own error.
fn reference(function: Function, x: f64, y: f64) -> f64 {
    match function {
        Function::Acos => x.acos(),
        // libm computes on below 1.
        Function::Acosh => {
            if x < 1.0 {
                f64::NAN
            } else {
                libm::acosh(x)
            }
        }
        Function::Asin => x.asin(),
        Function::Asinh => libm::asinh(x),
        Function::Atan => x.atan(),
        Function::Atan2 => x.atan2(y),
        Function::Atanh => libm::atanh(x),
        Function::Cbrt => x.cbrt(),
        Function::Cos => x.cos(),
        Function::Cosh => x.cosh(),
        Function::CosPi => sin_cos_pi(x).1,
        Function::Erf => libm::erf(x),
        Function::Erfc => libm::erfc(x),
        Function::Exp => x.exp(),
        Function::Exp10 => libm::exp10(x),
        Function::Exp2 => x.exp2(),
        Function::Expm1 => x.exp_m1(),
        Function::Fdim => libm::fdim(x, y),
        Function::Rem => x % y,
        Function::Hypot => x.hypot(y),
        Function::Lgamma => libm::lgamma(x),
        Function::Log => x.ln(),
        Function::Log10 => x.log10(),
        Function::Log1p => x.ln_1p(),
        Function::Log2 => x.log2(),
        Function::NextAfter => libm::nextafter(x, y),
        // The C library makes NaN of a signalling NaN to the power 0.
        Function::Pow | Function::PowI => {
            if y == 0.0 || x == 1.0 {
                1.0
            } else {
                x.powf(y)
            }
        }
        Function::Remainder => libm::remainder(x, y),
        Function::Sin => x.sin(),
        Function::Sinh => x.sinh(),
        Function::SinPi => sin_cos_pi(x).0,
        Function::Tan => x.tan(),
        Function::Tanh => x.tanh(),
        Function::Tgamma => libm::tgamma(x),
        other => panic!("{other:?} has no reference"),
    }
}

/// sin(pi x) and cos(pi x), from an exact reduction to the nearest multiple of 1/2.
fn sin_cos_pi(x: f64) -> (f64, f64) {
    use std::f64::consts::PI;
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let rest = x % 2.0;
    let quarter = (2.0 * rest).round_ties_even();
    let angle = PI * (rest - quarter / 2.0);
    let (sine, cosine) = angle.sin_cos();
    match (quarter as i64).rem_euclid(4) {
        // sin(pi n) is a zero with the sign of x.
        0 | 2 if sine == 0.0 => (
            0.0_f64.copysign(x),
            if quarter as i64 % 4 == 0 { cosine } else { -cosine },
        ),
        0 => (sine, cosine),
        // cos(pi (n + 1/2)) is a positive zero.
        1 => (cosine, 0.0 - sine),
        2 => (-sine, -cosine),
        _ => (-cosine, 0.0 + sine),
    }
}

/// Where to look closely: ranges of the first operand. All of the type's values are sampled besides.
fn ranges(function: Function) -> &'static [(f64, f64)] {
    match function {
        Function::Acos | Function::Asin | Function::Atanh => &[(-1.0, 1.0), (0.99, 1.0)],
        Function::Acosh => &[(1.0, 2.0), (1.0, 1e4)],
        Function::Cosh | Function::Sinh => &[(-1.0, 1.0), (-90.0, 90.0)],
        Function::Erf => &[(-1.0, 1.0), (-4.0, 4.0)],
        Function::Erfc => &[(-1.0, 1.0), (-6.0, 11.0)],
        Function::Exp | Function::Exp10 | Function::Exp2 | Function::Expm1 => &[(-1.0, 1.0), (-110.0, 90.0)],
        Function::Lgamma => &[(0.0, 4.0), (-10.0, 36.0)],
        Function::Tgamma => &[(0.0, 4.0), (-50.0, 36.0), (-190.0, 172.0)],
        Function::Log | Function::Log10 | Function::Log2 => &[(0.5, 2.0), (0.99, 1.01), (0.0, 1e4)],
        Function::Log1p => &[(-0.5, 1.0), (-1.0, 1e4)],
        Function::Pow | Function::PowI => &[(0.5, 2.0), (0.0, 100.0)],
        Function::Sin | Function::Cos | Function::Tan => &[(-4.0, 4.0), (-1000.0, 1000.0), (-1e5, 1e5)],
        Function::Tanh => &[(-0.6, 0.6), (-10.0, 10.0)],
        _ => &[(-2.0, 2.0), (-1000.0, 1000.0)],
    }
}

/// Points at which a function may be claimed to be less accurate: near a zero of lgamma the error is relative to 1.
fn scale(function: Function, exact: f64) -> f64 {
    if matches!(function, Function::Lgamma) {
        exact.abs().max(1.0)
    } else {
        exact.abs()
    }
}

/// A floating-point type, to write the measurement once.
trait Float: Copy {
    const WIDTH: Width;
    fn from_bits64(bits: u64) -> Self;
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
    /// The distance from |value| to the next larger one of this type.
    fn ulp(value: f64) -> f64;
    /// Calls the function at that address.
    fn call(address: usize, operands: Operands, x: Self, y: Self) -> Self;
}

macro_rules! float {
    ($ty:ident, $bits:ident, $width:expr, $mantissa:literal, $least:literal) => {
        impl Float for $ty {
            const WIDTH: Width = $width;
            fn from_bits64(bits: u64) -> Self {
                Self::from_bits(bits as $bits)
            }
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn ulp(value: f64) -> f64 {
                // frexp: value = fraction 2^exponent with 1/2 <= fraction < 1.
                let (_, exponent) = libm::frexp(value.abs().min(Self::MAX as f64));
                libm::ldexp(1.0, (exponent - $mantissa).max($least))
            }
            fn call(address: usize, operands: Operands, x: Self, y: Self) -> Self {
                // SAFETY: the address is that of a compiled function with these operands, in the C calling convention;
                // the execution engine that owns it outlives the call.
                unsafe {
                    match operands {
                        Operands::Unary => std::mem::transmute::<usize, extern "C" fn(Self) -> Self>(address)(x),
                        Operands::Binary => {
                            std::mem::transmute::<usize, extern "C" fn(Self, Self) -> Self>(address)(x, y)
                        }
                        Operands::UnaryInt => {
                            std::mem::transmute::<usize, extern "C" fn(Self, i32) -> Self>(address)(x, y as i32)
                        }
                    }
                }
            }
        }
    };
}
float!(f32, u32, Width::F32, 24, -149);
float!(f64, u64, Width::F64, 53, -1074);

/// The error of `got` in ulps of the type; infinite where it is another kind of value than the correct one.
fn error_ulp<T: Float>(function: Function, got: T, exact: f64) -> f64 {
    let (got, rounded) = (got.to_f64(), T::from_f64(exact).to_f64());
    match (got.is_finite(), rounded.is_finite()) {
        // Zeros must have the right sign.
        (true, true) if got == 0.0 && exact == 0.0 && got.is_sign_negative() != exact.is_sign_negative() => {
            f64::INFINITY
        }
        (true, true) => (got - exact).abs() / T::ulp(scale(function, exact)),
        _ if got == rounded || (got.is_nan() && rounded.is_nan()) => 0.0,
        // Infinity and the largest number are neighbours.
        _ if got.abs().min(rounded.abs()) == limit::<T>() && got.signum() == rounded.signum() => 1.0,
        _ => f64::INFINITY,
    }
}

/// The largest number of the type.
fn limit<T: Float>() -> f64 {
    match T::WIDTH {
        Width::F32 => f64::from(f32::MAX),
        Width::F64 => f64::MAX,
    }
}

/// The worst error of a function and where it is.
#[derive(Clone, Copy)]
struct Worst {
    ulp: f64,
    x: f64,
    y: f64,
    got: f64,
    exact: f64,
}

fn measure<T: Float>(function: Function, address: usize) -> Worst {
    let mut worst = Worst {
        ulp: 0.0,
        x: 0.0,
        y: 0.0,
        got: 0.0,
        exact: 0.0,
    };
    let mut try_point = |x: T, y: T| {
        let y = if function.operands() == Operands::UnaryInt {
            // An i32, as a number of the type: the conversions of `as` saturate, also back.
            T::from_f64(f64::from((y.to_f64() * 8.0) as i32))
        } else {
            y
        };
        let got = T::call(address, function.operands(), x, y);
        let exact = if function == Function::NextAfter && T::WIDTH == Width::F32 {
            f64::from(libm::nextafterf(x.to_f64() as f32, y.to_f64() as f32))
        } else {
            let y = match function.operands() {
                Operands::UnaryInt => f64::from(y.to_f64() as i32),
                Operands::Unary | Operands::Binary => y.to_f64(),
            };
            reference(function, x.to_f64(), y)
        };
        let ulp = error_ulp(function, got, exact);
        if ulp > worst.ulp {
            worst = Worst {
                ulp,
                x: x.to_f64(),
                y: y.to_f64(),
                got: got.to_f64(),
                exact,
            };
        }
    };
    let corners: Vec<T> = [
        0.0,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        10.0,
        88.7,
        709.8,
        1e5,
        1e10,
        f64::MIN_POSITIVE,
        1e-45,
        5e-324,
        1.2e-38,
    ]
    .into_iter()
    .chain([limit::<T>(), f64::INFINITY, f64::NAN])
    .flat_map(|value| [T::from_f64(value), T::from_f64(-value)])
    .collect();
    for x in &corners {
        for y in &corners {
            try_point(*x, *y);
        }
    }
    let mut random = SplitMix(0x5eed);
    for _ in 0..SAMPLES / 4 {
        try_point(T::from_bits64(random.next()), T::from_bits64(random.next()));
    }
    if function.operands() == Operands::Binary {
        // Operands near the largest, where what is computed on the way may overflow.
        for _ in 0..SAMPLES / 16 {
            let x = T::from_f64(
                limit::<T>()
                    * if random.next().is_multiple_of(2) {
                        1.0
                    } else {
                        1.0 - 0.5 * random.unit()
                    },
            );
            try_point(x, T::from_bits64(random.next()));
        }
    }
    if function.operands() == Operands::UnaryInt {
        // Large powers of what is so near 1 that they are finite.
        for _ in 0..SAMPLES / 16 {
            let exponent = f64::from(i32::MAX) * (2.0 * random.unit() - 1.0);
            let x = 1.0 + (2.0 * random.unit() - 1.0) * 80.0 / exponent;
            let sign = if random.next().is_multiple_of(2) { 1.0 } else { -1.0 };
            try_point(T::from_f64(sign * x), T::from_f64(exponent / 8.0));
        }
    }
    let ranges = ranges(function);
    for (low, high) in ranges {
        for _ in 0..SAMPLES * 3 / 4 / ranges.len() as u64 {
            let x = T::from_f64(low + (high - low) * random.unit());
            try_point(x, T::from_f64(20.0 * random.unit() - 10.0));
        }
    }
    worst
}

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The library compiled for this machine.
fn compile_for_host(context: &Context) -> ExecutionEngine<'_> {
    Target::initialize_x86(&InitializationConfig::default());
    let triple = TargetMachine::get_default_triple();
    let machine = Target::from_triple(&triple)
        .unwrap()
        .create_target_machine(
            &triple,
            "",
            "",
            OptimizationLevel::Default,
            RelocMode::Default,
            CodeModel::Default,
        )
        .unwrap();
    let library = math::library(context).unwrap();
    library.set_triple(&triple);
    library.set_data_layout(&machine.get_target_data().get_data_layout());
    // Without the instruction, fma becomes a call of the C library: slower, with the same result.
    let fused = std::arch::is_x86_feature_detected!("fma");
    let features = context.create_string_attribute("target-features", if fused { "+avx2,+fma" } else { "" });
    for function in library
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
    {
        function.set_linkage(Linkage::External);
        function.add_attribute(AttributeLoc::Function, features);
    }
    library.create_jit_execution_engine(OptimizationLevel::Default).unwrap()
}

fn check<T: Float>() {
    let context = Context::create();
    let engine = compile_for_host(&context);
    // References of f64 are off themselves, by less than one ulp.
    let slack = if T::WIDTH == Width::F64 { 1.0 } else { 0.0 };
    let mut failures = String::new();
    for function in Function::ALL {
        let symbol = function.symbol(T::WIDTH);
        let address = engine.get_function_address(symbol).unwrap();
        let worst = measure::<T>(*function, address);
        let bound = function.max_ulp(T::WIDTH);
        println!(
            "{symbol:>28} {:8.3} ulp at {:e}, {:e} (bound {bound})",
            worst.ulp, worst.x, worst.y
        );
        if worst.ulp > bound + slack {
            let Worst { ulp, x, y, got, exact } = worst;
            writeln!(
                failures,
                "{symbol}({x:e}, {y:e}) = {got:e}, should be {exact:e}: {ulp} ulp > {bound}"
            )
            .unwrap();
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn f32_functions_hold_their_bounds() {
    check::<f32>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn f64_functions_hold_their_bounds() {
    check::<f64>();
}
