//! The time that launches take on the GPU.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use mytriton::Device;
use mytriton::cudarc::driver::{CudaSlice, CudaStream};
use mytriton::runtime::Timer;

/// Written before every launch: more than any GPU's second-level cache holds.
const FLUSHED: usize = 256 << 20;
/// Launches go on for so long before any is timed, so that clocks are up.
const WARM_UP: Duration = Duration::from_millis(30);
/// Launches between synchronisations while warming up.
const BATCH: usize = 8;

/// Times launches by events around each.
pub struct Stopwatch {
    stream: Arc<CudaStream>,
    flushed: CudaSlice<u8>,
    timers: Vec<Timer>,
}

impl Stopwatch {
    /// One that times at most so many launches at once.
    pub fn new(device: &Device, repetitions: usize) -> Result<Stopwatch> {
        let stream = device.stream().context("the device is no GPU")?.clone();
        let flushed = stream.alloc_zeros(FLUSHED)?;
        let timers = (0..repetitions)
            .map(|_| Timer::new(&stream))
            .collect::<Result<_, _>>()?;
        Ok(Stopwatch {
            stream,
            flushed,
            timers,
        })
    }

    /// Milliseconds of each of `repetitions` launches, as many as there are timers at most. The cache is flushed before
    /// each; that keeps the GPU busy while the host submits the launch, so that the time is the GPU's alone.
    pub fn time(&mut self, repetitions: usize, mut launch: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            for _ in 0..BATCH {
                launch()?;
            }
            self.stream.synchronize()?;
        }
        let used = repetitions.min(self.timers.len());
        for timer in &self.timers[..used] {
            self.stream.memset_zeros(&mut self.flushed)?;
            timer.start(&self.stream)?;
            launch()?;
            timer.stop(&self.stream)?;
        }
        self.stream.synchronize()?;
        let milliseconds = |timer: &Timer| Ok(timer.elapsed()?.as_secs_f64() * 1e3);
        self.timers[..used].iter().map(milliseconds).collect()
    }
}
