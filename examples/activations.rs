//! Activation functions of neural networks, each in `f32`, `f16` and `bf16`, special values included.

mod common;

use std::process::ExitCode;

use common::{Agreement, F32_UNIT, Float, Random, Result, compare, count};
use mytriton::prelude::*;

const SIZE: usize = 20_011;
const BLOCK_SIZE: i32 = 512;

/// `max(x, 0)`; NaN becomes 0.
#[kernel]
pub fn relu<T>(x: Ptr<T>, out: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let v = load(x + at).mask(at < n);
    store(out + at, v.relu()).mask(at < n);
}

/// `x` above 0, else `slope · x`, computed in the type of the elements.
#[kernel]
pub fn leaky_relu<T>(x: Ptr<T>, out: Ptr<T>, slope: T, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let v = load(x + at).mask(at < n);
    store(out + at, where_(v > 0.0, v, v * slope)).mask(at < n);
}

/// `1 / (1 + exp(-x))`.
#[kernel]
pub fn logistic<T>(x: Ptr<T>, out: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let v = load(x + at).mask(at < n);
    store(out + at, v.sigmoid()).mask(at < n);
}

/// `x` times the normal distribution's probability of less than `x`, by the error function.
#[kernel]
pub fn gelu_erf<T>(x: Ptr<T>, out: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let v = load(x + at).mask(at < n);
    store(out + at, v.gelu()).mask(at < n);
}

/// The usual approximation of the same by the hyperbolic tangent.
#[kernel]
pub fn gelu_tanh<T>(x: Ptr<T>, out: Ptr<T>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let v = load(x + at).mask(at < n) as f32;
    let inner = SQRT_2_OVER_PI * (v + CUBIC * v * v * v);
    let result = 0.5 * v * (1 + tanh(inner));
    store(out + at, result as T).mask(at < n);
}

const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;
const CUBIC: f64 = 0.044_715;

/// Arrays of `size` elements.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    let mut random = Random::new(seed);
    let mut values = random.floats(size, -9.0..9.0);
    let special = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        1e-30,
        -1e-30,
        30.0,
        -30.0,
        -100.0,
    ];
    values
        .iter_mut()
        .zip(special)
        .for_each(|(slot, special)| *slot = special);
    let lines = [
        all::<f32>("f32", device, &values)?,
        all::<f16>("f16", device, &values)?,
        all::<bf16>("bf16", device, &values)?,
    ];
    Ok(format!(
        "activations: {size} elements, errors in % of what is allowed\n{}",
        lines.join("\n")
    ))
}

fn all<T: Float>(name: &str, device: &Device, values: &[f32]) -> Result<String> {
    let x: Vec<T> = values.iter().map(|&v| T::round(v)).collect();
    let there = device.upload(&x)?;
    let (n, grid) = (count(x.len())?, Grid(x.len().div_ceil(BLOCK_SIZE as usize)));
    let slope = T::round(0.01);

    // What `f32` steps leave, `within`, then one rounding to the type.
    let rounded = |value: f64, within: f64| (value, within + T::UNIT * (value.abs() + within + T::SMALLEST));
    let check = |function: &str, out: Buffer<T>, reference: &(dyn Fn(f64) -> (f64, f64) + Sync)| -> Result<Agreement> {
        compare(&format!("{function} of {name}"), &out.to_vec()?, |i| {
            reference(x[i].into())
        })
    };

    let mut out = device.zeros::<T>(x.len())?;
    relu::launch(device, grid, &there, &mut out, n, BLOCK_SIZE)?;
    // Nothing is rounded.
    let relu = check("relu", out, &|x| (x.max(0.0), 0.0))?;

    let mut out = device.zeros::<T>(x.len())?;
    leaky_relu::launch(device, grid, &there, &mut out, slope, n, BLOCK_SIZE)?;
    let slope: f64 = slope.into();
    // A product of two numbers of the type, which is exact in f64, rounded once.
    let leaky = check("leaky relu", out, &|x| {
        if x > 0.0 { (x, 0.0) } else { rounded(x * slope, 0.0) }
    })?;

    let mut out = device.zeros::<T>(x.len())?;
    logistic::launch(device, grid, &there, &mut out, n, BLOCK_SIZE)?;
    let sigmoid = check("sigmoid", out, &|x| {
        let value = 1.0 / (1.0 + (-x).exp());
        // exp is right to 2^-22 + |x| 2^-23, the sum is rounded, the quotient right to 2 units in the last place. Where
        // exp overflows the result is 0 instead of a number below the smallest normal one.
        let relative = (4.0 + 2.0 * x.abs().min(128.0) + 1.0 + 4.0) * F32_UNIT;
        rounded(value, relative * value + f64::from(f32::MIN_POSITIVE))
    })?;

    let mut out = device.zeros::<T>(x.len())?;
    gelu_erf::launch(device, grid, &there, &mut out, n, BLOCK_SIZE)?;
    let erf = check("gelu (erf)", out, &|x| {
        let value = 0.5 * x * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2));
        // 1 + erf cancels below zero, so the error of erf counts in full: 3 units in the last place (6 roundings), and
        // 2 more of its argument, at a slope below 1.13; the remaining steps round 3 times.
        rounded(value, F32_UNIT * (0.5 * 9.0 * finite(x) + 3.0 * finite(value)))
    })?;

    let mut out = device.zeros::<T>(x.len())?;
    gelu_tanh::launch(device, grid, &there, &mut out, n, BLOCK_SIZE)?;
    let tanh = check("gelu (tanh)", out, &|x| {
        let value = 0.5 * x * (1.0 + (SQRT_2_OVER_PI * (x + CUBIC * x * x * x)).tanh());
        // The same way: tanh to 3 units in the last place, its argument to 7 roundings, at z · (1 - tanh² z) < 0.45.
        rounded(value, F32_UNIT * (0.5 * 10.0 * finite(x) + 3.0 * finite(value)))
    })?;

    let parts = [
        ("relu", relu),
        ("leaky relu", leaky),
        ("sigmoid", sigmoid),
        ("gelu (erf)", erf),
        ("gelu (tanh)", tanh),
    ];
    let parts = parts.map(|(function, agreement)| format!("{function} {:.0}", 100.0 * agreement.of_tolerance));
    Ok(format!("  {name:<5} {}", parts.join(", ")))
}

/// The magnitude, of a tolerance that must stay a number.
fn finite(x: f64) -> f64 {
    if x.is_finite() { x.abs() } else { 0.0 }
}

fn main() -> ExitCode {
    common::main("ReLU, leaky ReLU, sigmoid and GELU in f32, f16 and bf16", |_| SIZE, run)
}
