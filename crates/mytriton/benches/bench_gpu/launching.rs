//! What a launch costs the host: ours, and `cuLaunchKernel` with nothing around it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use mytriton::frontend::{ConstexprValue, ScalarValue, Specialization};
use mytriton::prelude::*;
use mytriton::runtime::baseline::LaunchFloor;
use mytriton::runtime::{DeviceBuffer, Params};
use mytriton::{Arg, LaunchOptions};

use crate::output::{Output, median, us};
use crate::vector_add;

/// Launches between synchronisations: as many as the driver queues without waiting.
const BATCH: u32 = 500;
/// Batches of each kind, by turns, so that what drifts does so for all.
const BATCHES: usize = 60;
/// Elements: one program's.
const N: i32 = 1024;

/// Measures.
pub fn measure(device: &Device, output: &mut Output) -> Result<()> {
    let cuda = device.as_cuda().context("the device is no GPU")?;
    let stream = cuda.stream();
    let x = device.upload(&vec![1.5f32; N as usize])?;
    let y = device.upload(&vec![2.25f32; N as usize])?;
    let mut out = device.zeros::<f32>(N as usize)?;

    let facts = (0..4).fold(Specialization::NONE, Specialization::with_divisible_by_16);
    let kernel = (vector_add::definition().build)(&[ConstexprValue::I32(N)], &facts)?;
    let program = device.load(&kernel, LaunchOptions::default())?;
    program.launch(
        1,
        &[
            Arg::from(&x),
            Arg::from(&y),
            Arg::from(&out),
            Arg::from(ScalarValue::new(N)),
        ],
    )?;
    check(&out, "the prepared kernel")?;
    out.copy_from(&[0.0; N as usize])?;
    vector_add::launch(device, 1, &x, &y, &mut out, N, N)?;
    check(&out, "the typed launch")?;

    let function = program.function().context("the program is on no GPU")?;
    let plain = DeviceBuffer::zeros(cuda, 3 * 4 * N as u64)?;
    let bits = [0, 1, 2].map(|i| plain.address() + i * 4 * N as u64);
    let mut floors = [4, 8, 20].map(|arguments| LaunchFloor::new(cuda, arguments));
    let mut times: Vec<(String, Vec<Duration>)> = Vec::new();
    let mut note = |name: &str, time: Duration| match times.iter_mut().find(|(known, _)| known == name) {
        Some((_, list)) => list.push(time),
        None => times.push((name.to_owned(), vec![time])),
    };
    for round in 0..BATCHES {
        let mut batch = |name: &str, launch: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let start = Instant::now();
            for _ in 0..BATCH {
                launch()?;
            }
            let time = start.elapsed();
            device.synchronize()?;
            // The first rounds fill caches.
            if round >= BATCHES / 6 {
                note(name, time / BATCH);
            }
            Ok(())
        };
        batch("mytriton, typed launch", &mut || {
            Ok(vector_add::launch(device, 1, &x, &y, &mut out, N, N)?)
        })?;
        batch("mytriton, prepared kernel", &mut || {
            let args = [
                Arg::from(&x),
                Arg::from(&y),
                Arg::from(&out),
                Arg::from(ScalarValue::new(N)),
            ];
            Ok(program.launch(1, &args)?)
        })?;
        batch("mytriton, function alone", &mut || {
            let mut params = Params::new();
            if !bits.iter().chain([&(N as u64)]).all(|&value| params.push(value)) {
                bail!("too many arguments");
            }
            Ok(function.launch(stream, [1, 1, 1], &mut params)?)
        })?;
        for floor in &mut floors {
            let floor = floor.as_mut().map_err(|error| anyhow::anyhow!("{error}"))?;
            let time = floor.launch(stream, BATCH)?;
            device.synchronize()?;
            if round >= BATCHES / 6 {
                note(
                    &format!("cuLaunchKernel, {} arguments", floor.arguments()),
                    time / BATCH,
                );
            }
        }
    }
    output.line(&format!("\nhost time of a launch, {BATCH} between synchronisations"));
    let mut medians = Vec::new();
    for (name, mut list) in times {
        let middle = median(&mut list);
        let least = list.first().copied().unwrap_or_default();
        output.figure(
            "launch",
            "4 arguments",
            &name,
            us(middle),
            "us",
            &format!("least {:.3}", us(least)),
        );
        medians.push((name, us(middle)));
    }
    let of = |name: &str| {
        medians
            .iter()
            .find(|(known, _)| known == name)
            .map_or(f64::NAN, |m| m.1)
    };
    let floor = of("cuLaunchKernel, 4 arguments");
    output.line(&format!(
        "           over cuLaunchKernel: typed {:+.3} us, prepared {:+.3} us",
        of("mytriton, typed launch") - floor,
        of("mytriton, prepared kernel") - floor
    ));
    Ok(())
}

fn check(out: &Buffer<f32>, how: &str) -> Result<()> {
    match out.to_vec()?.iter().find(|&&v| v != 3.75) {
        Some(wrong) => bail!("{how} gives {wrong}, should be 3.75"),
        None => Ok(()),
    }
}
