//! Blurs a picture over a diamond: two nested loops, the inner one's bounds computed in the outer one.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Random, Result, compare, count};
use mytriton::prelude::*;

const SIZE: usize = 61;
const BLOCK_SIZE: i32 = 64;
const RADIUS: i32 = 4;

/// The mean of the pixels within `radius` steps, up, down, left or right, as far as the picture goes.
#[kernel]
pub fn blur(image: Ptr<f32>, out: Ptr<f32>, height: i32, width: i32, radius: i32, #[constexpr] BLOCK: i32) {
    let row = program_id(1);
    let cols = program_id(0) * BLOCK + range(0, BLOCK);
    let mut total = zeros([BLOCK], f32);
    let mut pixels = zeros([BLOCK], f32);
    for down in range(-radius, radius + 1) {
        let reach = radius - abs(down);
        for right in range(-reach, reach + 1) {
            let (r, c) = (row + down, cols + right);
            let inside = r >= 0 && r < height && c >= 0 && c < width;
            total += load(image + r * width + c).mask(inside).other(0.0);
            pixels += inside as f32;
        }
    }
    store(out + row * width + cols, total / pixels).mask(cols < width);
}

/// A picture of `size` rows of `2·size + 3` pixels.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    let (height, width) = (size, 2 * size + 3);
    count(height * width)?;
    let image = Random::new(seed).floats(height * width, 0.0..1.0);

    let image_there = device.upload(&image)?;
    let mut out = device.zeros::<f32>(image.len())?;
    blur::launch(
        device,
        Grid((width.div_ceil(BLOCK_SIZE as usize), height)),
        &image_there,
        &mut out,
        count(height)?,
        count(width)?,
        RADIUS,
        BLOCK_SIZE,
    )?;

    let agreement = compare("nested_loops", &out.to_vec()?, |i| {
        let (row, col) = ((i / width) as i32, (i % width) as i32);
        let (mut total, mut pixels) = (0.0, 0);
        for r in (row - RADIUS).max(0)..=(row + RADIUS).min(height as i32 - 1) {
            let reach = RADIUS - (r - row).abs();
            for c in (col - reach).max(0)..=(col + reach).min(width as i32 - 1) {
                total += f64::from(image[r as usize * width + c as usize]);
                pixels += 1;
            }
        }
        // No pixel is negative, so each sum's rounding is at most that of the whole; a division is right to 2 units in
        // the last place, 4 roundings.
        let mean = total / f64::from(pixels);
        (mean, F32_UNIT * f64::from(pixels + 4) * mean)
    })?;
    Ok(format!("nested_loops: {height} × {width}, {agreement}"))
}

fn main() -> ExitCode {
    common::main("The mean of the pixels around each pixel of a picture", |_| SIZE, run)
}
