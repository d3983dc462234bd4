//! Vector addition at memory bandwidth, and what a plain copy reaches.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use mytriton::prelude::*;
use mytriton::runtime::{Timer, nvrtc};
use rayon::prelude::*;

use crate::output::{Output, median, ms};
use crate::vector_add;

/// Launches before measuring.
const WARM_UP: usize = 20;
/// Launches measured, one by one.
const REPETITIONS: usize = 100;

/// A float that depends on all bits of its index, of ordinary size.
fn float(index: usize, salt: u32) -> f32 {
    let mixed = (index as u32 ^ salt).wrapping_mul(0x9E37_79B9);
    (mixed ^ mixed >> 15) as f32 * 2f32.powi(-24) - 128.0
}

fn floats(n: usize, salt: u32) -> Vec<f32> {
    (0..n).into_par_iter().map(|i| float(i, salt)).collect()
}

/// Blocks and warps that are tried.
const SHAPES: [(i32, u32); 5] = [(512, 4), (1024, 4), (2048, 4), (2048, 8), (4096, 8)];

/// Measures for vectors of `n` elements, which are larger than the caches.
pub fn measure(device: &Device, n: usize, output: &mut Output) -> Result<()> {
    let size = format!("f32 2^{}", n.ilog2());
    let (x, y) = (device.upload(&floats(n, 1))?, device.upload(&floats(n, 2))?);
    let mut out = device.zeros::<f32>(n)?;
    let mut best: Option<(Duration, i32, u32)> = None;
    for (block, warps) in SHAPES {
        let on = device.num_warps(warps);
        let mut launch = || vector_add::launch(on, n.div_ceil(block as usize), &x, &y, &mut out, n as i32, block);
        launch()?;
        check(&out, block, warps)?;
        let time = time(device, || {
            vector_add::launch(on, n.div_ceil(block as usize), &x, &y, &mut out, n as i32, block).map_err(Into::into)
        })?;
        output.line(&format!("           block {block}, {warps} warps: {:.4} ms", ms(time)));
        if best.is_none_or(|(fastest, ..)| time < fastest) {
            best = Some((time, block, warps));
        }
        // Nothing of one shape's result may pass for the next one's.
        out.copy_from(&vec![0.0; n])?;
    }
    let (fastest, block, warps) = best.context("no shape was measured")?;
    let default = SHAPES[1];
    let rate = |time: Duration, buffers: usize| (buffers * 4 * n) as f64 / time.as_secs_f64() / 1e9;
    let shape = format!("block {block}, {warps} warps, {:.4} ms", ms(fastest));
    output.figure("add", &size, "mytriton", rate(fastest, 3), "GB/s", &shape);
    if nvrtc::is_present() {
        let on = device.backend(Backend::CudaCpp);
        let launch = |out: &mut Buffer<f32>| {
            vector_add::launch(on, n.div_ceil(default.0 as usize), &x, &y, out, n as i32, default.0)
        };
        launch(&mut out)?;
        check(&out, default.0, default.1)?;
        let time = time(device, || launch(&mut out).map_err(Into::into))?;
        output.figure(
            "add",
            &size,
            "mytriton by CUDA C++",
            rate(time, 3),
            "GB/s",
            &format!("{:.4} ms", ms(time)),
        );
    }
    drop((x, y));
    copy(device, out, &size, n, output)
}

/// Compares the whole result, bit by bit.
fn check(out: &Buffer<f32>, block: i32, warps: u32) -> Result<()> {
    let found = out.to_vec()?;
    let wrong = found
        .par_iter()
        .enumerate()
        .find_first(|&(i, v)| v.to_bits() != (float(i, 1) + float(i, 2)).to_bits());
    match wrong {
        None => Ok(()),
        Some((i, v)) => bail!(
            "block {block}, {warps} warps: element {i} is {v:e}, should be {:e}",
            float(i, 1) + float(i, 2)
        ),
    }
}

/// The median time of a launch, by events around it.
fn time(device: &Device, mut launch: impl FnMut() -> Result<()>) -> Result<Duration> {
    let stream = device.stream().context("the device is no GPU")?;
    for _ in 0..WARM_UP {
        launch()?;
    }
    let mut times = Vec::new();
    let timer = Timer::new(stream)?;
    for _ in 0..REPETITIONS {
        timer.start(stream)?;
        launch()?;
        timer.stop(stream)?;
        times.push(timer.elapsed()?);
    }
    Ok(median(&mut times))
}

/// What the driver's copy within the GPU reaches.
fn copy(device: &Device, source: Buffer<f32>, size: &str, n: usize, output: &mut Output) -> Result<()> {
    drop(source);
    let stream = device.stream().context("the device is no GPU")?;
    let from = stream.alloc_zeros::<f32>(n)?;
    let mut to = stream.alloc_zeros::<f32>(n)?;
    let time = time(device, || stream.memcpy_dtod(&from, &mut to).map_err(Into::into))?;
    let rate = (2 * 4 * n) as f64 / time.as_secs_f64() / 1e9;
    output.figure(
        "copy",
        size,
        "driver (cuMemcpyDtoD)",
        rate,
        "GB/s",
        &format!("{:.4} ms", ms(time)),
    );
    Ok(())
}
