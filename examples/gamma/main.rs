//! Gamma correction of a picture: a PNG file in, a PNG file out.
//!
//! ```text
//! cargo run --example gamma -- examples/assets/spheres.png corrected.png --gamma 2.2
//! ```

#[path = "../common/mod.rs"]
mod common;
mod correct;
mod picture;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use common::{Random, Result, compare, count, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use mytriton::prelude::*;

pub use correct::{correct, correct_samples};
pub use picture::{Picture, Samples};

/// Corrects the gamma of a picture: each sample becomes its power of 1/GAMMA.
///
/// Grey and colour, 8 and 16 bits, with and without alpha, which stays as it is. A GAMMA above 1 makes darker parts
/// lighter: 2.2 turns light as it was measured into light as screens show it.
#[derive(Parser)]
#[command(arg_required_else_help = true)]
struct Options {
    /// The PNG file to read
    input: PathBuf,
    /// The PNG file to write; it is replaced when all of it is there
    output: PathBuf,
    /// A number above 0
    #[arg(long, default_value_t = 2.2, value_parser = gamma_value)]
    gamma: f32,
    /// What to run on: cpu, cuda or cuda:N. Without it MYTRITON_DEVICE decides, then GPU 0 where there is one
    #[arg(long)]
    device: Option<String>,
}

fn gamma_value(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(gamma) if (0.01..=100.0).contains(&gamma) => Ok(gamma),
        Ok(_) => Err("it must be between 0.01 and 100".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Pictures of random samples, of each kind of file: `size` rows of `size + 2` pixels.
pub fn run(device: &Device, size: usize, seed: u64) -> Result<String> {
    count(size.saturating_mul(size))?;
    let mut random = Random::new(seed);
    let gamma = random.floats(1, 0.4..3.0)[0];
    let mut lines = Vec::new();
    for color in [
        png::ColorType::Grayscale,
        png::ColorType::GrayscaleAlpha,
        png::ColorType::Rgb,
        png::ColorType::Rgba,
    ] {
        let pixels = size * (size + 2);
        let samples = pixels * color.samples();
        let draw = |rng: &mut _| rand::RngExt::random::<u16>(rng);
        for samples in [
            Samples::Eight(random.array(samples, |rng| (draw(rng) >> 8) as u8)),
            Samples::Sixteen(random.array(samples, draw)),
        ] {
            let mut picture = Picture::new(size as u32 + 2, size as u32, color, samples)?;
            let before = picture.samples.clone();
            correct(device, &mut picture, gamma, 1 << 10, |_| ())?;
            lines.push(check(&before, &picture, gamma)?);
        }
    }
    Ok(format!(
        "gamma: {gamma}, grey to RGBA, 8 and 16 bits\n  {}",
        lines.join("\n  ")
    ))
}

/// Compares a corrected picture with its correction in `f64`, and alpha with what it was.
fn check(before: &Samples, after: &Picture, gamma: f32) -> Result<String> {
    let (channels, alpha) = (after.channels(), after.has_alpha());
    let exponent = 1.0 / f64::from(gamma);
    let top = before.top();
    let expected = |i: usize| {
        let sample = before.get(i);
        if alpha && i % channels == channels - 1 {
            return (sample, 0.0);
        }
        // Rounding to an integer, and what f32 leaves of the power: relative errors of 2^-23 of the exponent and the
        // quotient grow by at most the exponent times the power's slope, below 2^-18 of the whole range for these gammas.
        (top * (sample / top).powf(exponent), 0.5 + top / f64::from(1 << 18))
    };
    let agreement = match &after.samples {
        Samples::Eight(samples) => compare("samples", samples, expected)?,
        Samples::Sixteen(samples) => compare("samples", samples, expected)?,
    };
    Ok(format!("{after}: {agreement}"))
}

/// Corrects a file, and says what was done. `bar` shows the rows done.
pub fn convert(
    device: &Device,
    input: &std::path::Path,
    output: &std::path::Path,
    gamma: f32,
    bar: &ProgressBar,
) -> Result<String> {
    let mut picture = Picture::read(input)?;
    let before = picture.samples.clone();
    bar.set_length(u64::from(picture.height));
    // A launch takes as many rows as keep a GPU busy; fewer on the CPU, so that progress can be seen.
    let band = if device.as_cuda().is_none() { 1 << 15 } else { 1 << 22 };
    correct(device, &mut picture, gamma, band, |rows| bar.inc(rows as u64))?;
    bar.finish_and_clear();
    let line = check(&before, &picture, gamma)?;
    picture.write(output)?;
    Ok(format!("{}: {line}", output.display()))
}

fn main() -> ExitCode {
    let options = Options::parse();
    common::exit((|| {
        ensure!(
            options.input.as_os_str() != "-" && options.output.as_os_str() != "-",
            "`-` is not supported: name files"
        );
        let device = common::open(options.device.as_deref())?;
        println!("device: {}", device.name());
        let style = ProgressStyle::with_template("{bar:40} {pos} of {len} rows, {eta} left")?;
        let bar = ProgressBar::new(0).with_style(style);
        println!(
            "{}",
            convert(&device, &options.input, &options.output, options.gamma, &bar)?
        );
        Ok(())
    })())
}
