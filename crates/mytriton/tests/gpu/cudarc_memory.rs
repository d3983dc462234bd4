//! Streams and slices of cudarc, which a launch takes as they are.

use std::sync::Arc;

use mytriton::cudarc::driver::{CudaContext, CudaStream};
use mytriton::{Device, kernel};

use crate::check::{Check, function, result};

type Tested = Result<(), String>;

const N: usize = 1003;

#[kernel]
fn triple(x: Ptr<f32>, out: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    store(out + at, 3 * load(x + at).mask(mask)).mask(mask);
}

/// All of them.
pub fn checks() -> Vec<Check> {
    let check = |name, run: fn() -> Tested| function(name, move || result(run()));
    vec![
        check("slices_on_a_stream", slices_on_a_stream),
        check("views_with_offsets", views_with_offsets),
        check("two_streams", two_streams),
        check("a_device_from_a_stream", a_device_from_a_stream),
    ]
}

fn text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

fn stream() -> Result<Arc<CudaStream>, String> {
    let context = CudaContext::new(0).map_err(text)?;
    context.new_stream().map_err(text)
}

fn numbers() -> Vec<f32> {
    (0..N).map(|i| i as f32 - 500.0).collect()
}

fn expect(found: &[f32], expected: impl Iterator<Item = f32>) -> Tested {
    match found
        .iter()
        .copied()
        .zip(expected)
        .enumerate()
        .find(|(_, (a, b))| a != b)
    {
        None => Ok(()),
        Some((index, (found, expected))) => Err(format!("element {index} is {found}, not {expected}")),
    }
}

fn slices_on_a_stream() -> Tested {
    let stream = stream()?;
    let x = stream.clone_htod(&numbers()).map_err(text)?;
    let mut out = stream.alloc_zeros::<f32>(N).map_err(text)?;
    triple::launch(&stream, N.div_ceil(128), &x, &mut out, N as i32, 128).map_err(text)?;
    let found = stream.clone_dtoh(&out).map_err(text)?;
    expect(&found, numbers().into_iter().map(|v| 3.0 * v))
}

/// A view that starts 4 bytes after a multiple of 16: what was compiled for aligned addresses must not run on it.
fn views_with_offsets() -> Tested {
    let stream = stream()?;
    let x = stream.clone_htod(&numbers()).map_err(text)?;
    let mut out = stream.alloc_zeros::<f32>(N).map_err(text)?;
    triple::launch(&stream, N.div_ceil(128), &x, &mut out, N as i32, 128).map_err(text)?;
    let part = x.slice(1..);
    triple::launch(
        &stream,
        (N - 1).div_ceil(128),
        &part,
        &mut out.slice_mut(1..),
        N as i32 - 1,
        128,
    )
    .map_err(text)?;
    let found = stream.clone_dtoh(&out).map_err(text)?;
    expect(&found, numbers().into_iter().map(|v| 3.0 * v))
}

/// What one stream writes another reads only afterwards.
fn two_streams() -> Tested {
    let (first, second) = (stream()?, stream()?);
    let x = first.clone_htod(&numbers()).map_err(text)?;
    let mut between = first.alloc_zeros::<f32>(N).map_err(text)?;
    let mut out = second.alloc_zeros::<f32>(N).map_err(text)?;
    for _ in 0..50 {
        triple::launch(&first, N.div_ceil(128), &x, &mut between, N as i32, 128).map_err(text)?;
        triple::launch(&second, N.div_ceil(128), &between, &mut out, N as i32, 128).map_err(text)?;
    }
    let found = second.clone_dtoh(&out).map_err(text)?;
    expect(&found, numbers().into_iter().map(|v| 9.0 * v))
}

fn a_device_from_a_stream() -> Tested {
    let device = Device::from_stream(stream()?).map_err(text)?;
    let x = device.upload(&numbers()).map_err(text)?;
    let mut out = device.zeros::<f32>(N).map_err(text)?;
    triple::launch(&device, N.div_ceil(128), &x, &mut out, N as i32, 128).map_err(text)?;
    expect(&out.to_vec().map_err(text)?, numbers().into_iter().map(|v| 3.0 * v))
}
