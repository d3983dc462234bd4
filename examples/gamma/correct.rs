//! The kernel, and its launches band by band.

use anyhow::{Context, Result};
use mytriton::prelude::*;

use super::picture::{Picture, Samples};

const BLOCK_SIZE: i32 = 1024;

/// Each sample to the power of `exponent`, where `top` counts as 1. The last of `CHANNELS` samples is not touched if it
/// is alpha.
#[kernel]
pub fn correct_samples<T>(
    samples: Ptr<T>,
    n: i32,
    exponent: f32,
    top: f32,
    #[constexpr] CHANNELS: i32,
    #[constexpr] ALPHA: bool,
    #[constexpr] BLOCK: i32,
) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mut mask = at < n;
    if ALPHA {
        mask = mask && at % CHANNELS != CHANNELS - 1;
    }
    let light = load(samples + at).mask(mask) as f32 / top;
    store(samples + at, round(pow(light, exponent) * top) as T).mask(mask);
}

/// Corrects the gamma of a picture in bands of whole rows with about `band` samples; `done` gets the number of rows of
/// each when it is there.
pub fn correct(device: &Device, picture: &mut Picture, gamma: f32, band: usize, done: impl FnMut(usize)) -> Result<()> {
    let (row, channels, alpha) = (picture.row(), picture.channels() as i32, picture.has_alpha());
    let bands = Bands {
        device,
        row,
        band: row * (band / row).max(1),
        exponent: 1.0 / gamma,
        channels,
        alpha,
    };
    match &mut picture.samples {
        Samples::Eight(samples) => bands.correct(samples, f32::from(u8::MAX), done),
        Samples::Sixteen(samples) => bands.correct(samples, f32::from(u16::MAX), done),
    }
}

struct Bands<'a> {
    device: &'a Device,
    /// Samples of a row, and of a band.
    row: usize,
    band: usize,
    exponent: f32,
    channels: i32,
    alpha: bool,
}

impl Bands<'_> {
    fn correct<T: Element>(&self, samples: &mut [T], top: f32, mut done: impl FnMut(usize)) -> Result<()> {
        for band in samples.chunks_mut(self.band) {
            // A row has at most 2^33 samples, one number of the kernel 2^31.
            let n = i32::try_from(band.len() + BLOCK_SIZE as usize).context("the rows of the picture are too long")?
                - BLOCK_SIZE;
            let mut there = self.device.upload(band)?;
            let grid = Grid(band.len().div_ceil(BLOCK_SIZE as usize));
            let (exponent, channels, alpha) = (self.exponent, self.channels, self.alpha);
            correct_samples::launch(
                self.device,
                grid,
                &mut there,
                n,
                exponent,
                top,
                channels,
                alpha,
                BLOCK_SIZE,
            )?;
            band.copy_from_slice(&there.to_vec()?);
            done(band.len() / self.row);
        }
        Ok(())
    }
}
