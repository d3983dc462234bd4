//! A polynomial and its derivative by Horner's rule: a loop whose number of iterations is known at launch only, with
//! two tiles carried from one iteration to the next.

mod common;

use std::process::ExitCode;

use common::{Agreement, F32_UNIT, Random, Result, compare, count};
use mytriton::prelude::*;

const SIZE: usize = 5_003;
const BLOCK_SIZE: i32 = 256;

/// For each of `n` points the polynomial of `coefficients` (`terms` of them, the highest power first) and its derivative.
#[kernel]
pub fn horner(
    points: Ptr<f32>,
    coefficients: Ptr<f32>,
    values: Ptr<f32>,
    slopes: Ptr<f32>,
    n: i32,
    terms: i32,
    #[constexpr] BLOCK: i32,
) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let x = load(points + at).mask(mask);
    let mut value = zeros([BLOCK], f32);
    let mut slope = zeros([BLOCK], f32);
    for k in 0..terms {
        // The slope takes the value before this iteration's.
        slope = slope * x + value;
        value = value * x + load(coefficients + k);
    }
    store(values + at, value).mask(mask);
    store(slopes + at, slope).mask(mask);
}

/// Polynomials of several degrees at `size` points; the one without terms makes no iteration.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    let mut random = Random::new(seed);
    let points = random.floats(size, -1.5..1.5);
    let mut worst = None::<Agreement>;
    for terms in [0, 1, 2, 13] {
        let coefficients = random.floats(terms, -1.0..1.0);
        for agreement in evaluate(device, &points, &coefficients)? {
            if worst.is_none_or(|worst| worst.of_tolerance < agreement.of_tolerance) {
                worst = Some(agreement);
            }
        }
    }
    let worst = worst.map_or_else(String::new, |worst| worst.to_string());
    Ok(format!("loop_carried: 0, 1, 2 and 13 terms, the worst: {worst}"))
}

fn evaluate(device: &Device, points: &[f32], coefficients: &[f32]) -> Result<[Agreement; 2]> {
    let (n, terms) = (points.len(), coefficients.len());
    let (points_there, coefficients_there) = (device.upload(points)?, device.upload(coefficients)?);
    let (mut values, mut slopes) = (device.zeros::<f32>(n)?, device.zeros::<f32>(n)?);
    horner::launch(
        device,
        Grid(n.div_ceil(BLOCK_SIZE as usize)),
        &points_there,
        &coefficients_there,
        &mut values,
        &mut slopes,
        count(n)?,
        count(terms)?,
        BLOCK_SIZE,
    )?;

    // Each iteration multiplies and adds to both: the errors stay below 4 roundings an iteration of what the sums would
    // be if no terms cancelled, which is the same rule on magnitudes.
    let roundings = 4.0 * terms as f64 * F32_UNIT;
    let exact = |i: usize| host(f64::from(points[i]), coefficients.iter().map(|&c| f64::from(c)));
    let magnitude = |i: usize| {
        let magnitudes = coefficients.iter().map(|&c| f64::from(c).abs());
        host(f64::from(points[i]).abs(), magnitudes)
    };
    Ok([
        compare("values", &values.to_vec()?, |i| {
            (exact(i).0, roundings * magnitude(i).0)
        })?,
        compare("slopes", &slopes.to_vec()?, |i| {
            (exact(i).1, roundings * magnitude(i).1)
        })?,
    ])
}

fn host(x: f64, coefficients: impl Iterator<Item = f64>) -> (f64, f64) {
    coefficients.fold((0.0, 0.0), |(value, slope), c| (value * x + c, slope * x + value))
}

fn main() -> ExitCode {
    common::main("A polynomial and its derivative by Horner's rule", |_| SIZE, run)
}
