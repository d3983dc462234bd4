//! Renders `assets/spheres.png`, the picture that the example `gamma` corrects: three spheres in the sun, their light as
//! it would be measured, which screens show too dark. Its corners are transparent. Nothing here runs on a device.
//!
//! ```text
//! cargo run --example spheres -- spheres.png
//! ```

#[path = "gamma/picture.rs"]
#[allow(dead_code)]
mod picture;

use std::array::from_fn;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use picture::{Picture, Samples};

/// Renders three spheres in the sun.
#[derive(Parser)]
struct Options {
    /// The PNG file to write
    output: PathBuf,
}

const WIDTH: u32 = 321;
const HEIGHT: u32 = 213;

type Vector = [f64; 3];

struct Sphere {
    centre: Vector,
    radius: f64,
    colour: Vector,
}

const SPHERES: [Sphere; 3] = [
    Sphere {
        centre: [-1.3, 0.8, 5.2],
        radius: 0.8,
        colour: [0.85, 0.18, 0.12],
    },
    Sphere {
        centre: [0.35, 1.1, 6.4],
        radius: 1.1,
        colour: [0.9, 0.75, 0.3],
    },
    Sphere {
        centre: [1.55, 0.55, 4.6],
        radius: 0.55,
        colour: [0.15, 0.4, 0.8],
    },
];
const EYE: Vector = [0.0, 1.5, 0.0];

fn add(a: Vector, b: Vector) -> Vector {
    from_fn(|i| a[i] + b[i])
}

fn scale(a: Vector, by: f64) -> Vector {
    a.map(|v| v * by)
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn unit(a: Vector) -> Vector {
    scale(a, 1.0 / dot(a, a).sqrt())
}

/// What a ray of light from `from` along `along` meets first: how far, the normal there, and the colour.
fn meet(from: Vector, along: Vector) -> Option<(f64, Vector, Vector)> {
    let spheres = SPHERES.iter().filter_map(|sphere| {
        let to = add(from, scale(sphere.centre, -1.0));
        let (b, c) = (dot(to, along), dot(to, to) - sphere.radius * sphere.radius);
        let far = -b - (b * b - c).sqrt();
        let normal = || unit(add(to, scale(along, far)));
        // Also false for the NaN of a ray that passes by.
        (far > 1e-6).then(|| (far, normal(), sphere.colour))
    });
    let far = -from[1] / along[1];
    let ground = (far > 1e-6 && far < 60.0).then(|| {
        let at = add(from, scale(along, far));
        let dark = (at[0].floor() + at[2].floor()).rem_euclid(2.0) == 0.0;
        (
            far,
            [0.0, 1.0, 0.0],
            if dark { [0.12, 0.13, 0.12] } else { [0.5, 0.48, 0.42] },
        )
    });
    spheres.chain(ground).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The light that comes to `from` out of the direction `along`, mirrored once by spheres.
fn light(from: Vector, along: Vector, mirrors: u32) -> Vector {
    let sun = unit([-0.55, 0.75, -0.45]);
    let Some((far, normal, colour)) = meet(from, along) else {
        let high = along[1].max(0.0).sqrt();
        return add(scale([0.55, 0.6, 0.62], 1.0 - high), scale([0.08, 0.2, 0.55], high));
    };
    let at = add(from, scale(along, far));
    let bright = if meet(at, sun).is_none() {
        dot(normal, sun).max(0.0)
    } else {
        0.0
    };
    let mut seen: Vector = from_fn(|i| colour[i] * (0.9 * bright + [0.06, 0.08, 0.12][i]));
    if mirrors > 0 && normal[1] != 1.0 {
        let mirrored = add(along, scale(normal, -2.0 * dot(along, normal)));
        let share = 0.04 + 0.6 * (1.0 + dot(along, normal)).powi(5);
        let shine = 0.7 * bright.signum() * dot(mirrored, sun).max(0.0).powi(60);
        let mirrored = light(at, mirrored, mirrors - 1);
        seen = from_fn(|i| seen[i] * (1.0 - share) + mirrored[i] * share + shine);
    }
    // Haze.
    let clear = (-far / 25.0).exp();
    add(scale(seen, clear), scale([0.55, 0.6, 0.62], 1.0 - clear))
}

fn pixel(column: u32, row: u32) -> [u8; 4] {
    const RAYS: u32 = 3;
    let mut sum = [0.0; 3];
    for ray in 0..RAYS * RAYS {
        let part = |n: u32| (f64::from(n) + 0.5) / f64::from(RAYS);
        let x = f64::from(column) + part(ray % RAYS) - f64::from(WIDTH) / 2.0;
        let y = f64::from(HEIGHT) / 2.0 - f64::from(row) - part(ray / RAYS);
        let along = unit([x / f64::from(HEIGHT), y / f64::from(HEIGHT) - 0.12, 1.3]);
        sum = add(sum, light(EYE, along, 2));
    }
    let byte = |v: f64| (255.0 * v).round() as u8;
    let [red, green, blue] = scale(sum, 1.0 / f64::from(RAYS * RAYS)).map(byte);
    // How far into a rounded corner.
    let radius = 24.0;
    let into = |at: u32, extent: u32| {
        let at = f64::from(at) + 0.5;
        (radius - at).max(at - f64::from(extent) + radius).max(0.0)
    };
    let alpha = byte((radius - into(column, WIDTH).hypot(into(row, HEIGHT)) + 0.5).clamp(0.0, 1.0));
    [red, green, blue, alpha]
}

fn main() -> ExitCode {
    let options = Options::parse();
    let pixels = (0..HEIGHT).flat_map(|row| (0..WIDTH).flat_map(move |column| pixel(column, row)));
    let samples = Samples::Eight(pixels.collect());
    let written = Picture::new(WIDTH, HEIGHT, png::ColorType::Rgba, samples).and_then(|p| p.write(&options.output));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
