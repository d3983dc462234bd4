//! Adds two vectors: the shortest whole program.

use mytriton::prelude::*;

#[kernel]
fn add(x: Ptr<f32>, y: Ptr<f32>, out: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let sum = load(x + at).mask(mask) + load(y + at).mask(mask);
    store(out + at, sum).mask(mask);
}

/// Adds two vectors on the default device.
pub fn main() -> Result<(), Error> {
    let device = Device::default()?; // a GPU where there is one, else the CPU
    let n = 100_003;
    let x: Vec<f32> = (0..n).map(|i| (i as f32).sin()).collect();
    let y: Vec<f32> = (0..n).map(|i| (i as f32).cos()).collect();

    let (a, b) = (device.upload(&x)?, device.upload(&y)?);
    let mut out = device.zeros(n)?;
    add::launch(&device, Grid(n.div_ceil(1024)), &a, &b, &mut out, n as i32, 1024)?;
    let sum: Vec<f32> = out.to_vec()?;

    let errors = (0..n).map(|i| (f64::from(sum[i]) - (f64::from(x[i]) + f64::from(y[i]))).abs());
    let max_error = errors.max_by(f64::total_cmp).unwrap_or(0.0);
    println!("device:       {}", device.name());
    println!("first values: {:?}", &sum[..4]);
    println!("max error:    {max_error:.3e}");
    // Sums below 2 in magnitude, each rounded once: half a unit in the last place.
    assert!(max_error <= f64::from(f32::EPSILON / 2.0), "the sums are wrong");
    Ok(())
}
