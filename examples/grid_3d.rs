//! One step of heat conduction in a volume: a grid and tiles of three dimensions.

mod common;

use std::process::ExitCode;

use common::{F32_UNIT, Random, Result, compare, count};
use mytriton::prelude::*;

const SIZE: usize = 13;
/// Along z, y and x.
const TILE: [i32; 3] = [2, 4, 32];

/// `out = t + rate · (sum of the six neighbours - 6 t)`, zero outside the volume of `nz` × `ny` × `nx`.
#[kernel]
pub fn heat_step(
    t: Ptr<f32>,
    out: Ptr<f32>,
    rate: f32,
    nx: i32,
    ny: i32,
    nz: i32,
    #[constexpr] X: i32,
    #[constexpr] Y: i32,
    #[constexpr] Z: i32,
) {
    let x = (program_id(0) * X + range(0, X)).at(None, None, ..);
    let y = (program_id(1) * Y + range(0, Y)).at(None, .., None);
    let z = (program_id(2) * Z + range(0, Z)).at(.., None, None);
    let inside = x < nx && y < ny && z < nz;
    let at = (z * ny + y) * nx + x;
    let here = load(t + at).mask(inside);
    let along_x =
        load(t + at - 1).mask(inside && x > 0).other(0.0) + load(t + at + 1).mask(inside && x + 1 < nx).other(0.0);
    let along_y =
        load(t + at - nx).mask(inside && y > 0).other(0.0) + load(t + at + nx).mask(inside && y + 1 < ny).other(0.0);
    let along_z = load(t + at - nx * ny).mask(inside && z > 0).other(0.0)
        + load(t + at + nx * ny).mask(inside && z + 1 < nz).other(0.0);
    let around = along_x + along_y + along_z;
    store(out + at, here + rate * (around - 6 * here)).mask(inside);
}

/// A volume of `size` × `size + 4` × `3·size + 2`.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size)?;
    let (nz, ny, nx) = (size, size + 4, 3 * size + 2);
    count((nz * ny).saturating_mul(nx))?;
    let mut random = Random::new(seed);
    let t = random.floats(nz * ny * nx, -50.0..50.0);
    let rate = random.floats(1, 0.05..0.16)[0];

    let t_there = device.upload(&t)?;
    let mut out = device.zeros::<f32>(t.len())?;
    let blocks = |extent: usize, tile: i32| extent.div_ceil(tile as usize);
    heat_step::launch(
        device,
        Grid((blocks(nx, TILE[2]), blocks(ny, TILE[1]), blocks(nz, TILE[0]))),
        &t_there,
        &mut out,
        rate,
        count(nx)?,
        count(ny)?,
        count(nz)?,
        TILE[2],
        TILE[1],
        TILE[0],
    )?;

    let agreement = compare("grid_3d", &out.to_vec()?, |i| {
        let at = [i / (nx * ny), i / nx % ny, i % nx];
        let strides = [nx * ny, nx, 1];
        let (mut around, mut magnitude) = (0.0, 0.0);
        for (axis, extent) in [nz, ny, nx].into_iter().enumerate() {
            let below = (at[axis] > 0).then(|| i - strides[axis]);
            let above = (at[axis] + 1 < extent).then(|| i + strides[axis]);
            for neighbour in [below, above].into_iter().flatten() {
                around += f64::from(t[neighbour]);
                magnitude += f64::from(t[neighbour]).abs();
            }
        }
        let (here, rate) = (f64::from(t[i]), f64::from(rate));
        let magnitude = here.abs() + rate * (magnitude + 6.0 * here.abs());
        // No value passes through more than 8 roundings.
        (here + rate * (around - 6.0 * here), 8.0 * F32_UNIT * magnitude)
    })?;
    Ok(format!("grid_3d: {nz} × {ny} × {nx}, {agreement}"))
}

fn main() -> ExitCode {
    common::main("One step of heat conduction in a volume", |_| SIZE, run)
}
