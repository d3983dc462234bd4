//! Measuring time on the GPU.

use std::time::Duration;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaStream};

use crate::error::{Error, driver_error};

/// Measures how long the work of a stream between two points takes on the GPU, to about half a microsecond.
#[derive(Debug)]
pub struct Timer {
    start: CudaEvent,
    end: CudaEvent,
}

impl Timer {
    /// A timer for streams of the same GPU as this one; it can be used again and again.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new(stream: &CudaStream) -> Result<Timer, Error> {
        let event = || {
            let event = stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
            event.map_err(|e| driver_error("make an event", e))
        };
        Ok(Timer {
            start: event()?,
            end: event()?,
        })
    }

    /// Marks the start: after all work submitted so far.
    ///
    /// # Errors
    /// [`Error::Driver`], also when the stream is of another GPU.
    pub fn start(&self, stream: &CudaStream) -> Result<(), Error> {
        (self.start.record(stream)).map_err(|e| driver_error("record an event", e))
    }

    /// Marks the end: after all work submitted so far.
    ///
    /// # Errors
    /// As [`Timer::start`].
    pub fn stop(&self, stream: &CudaStream) -> Result<(), Error> {
        (self.end.record(stream)).map_err(|e| driver_error("record an event", e))
    }

    /// The time between both marks. Waits until the end is reached.
    ///
    /// # Errors
    /// [`Error::Kernel`] when a kernel failed; [`Error::Driver`].
    pub fn elapsed(&self) -> Result<Duration, Error> {
        let milliseconds = self.start.elapsed_ms(&self.end);
        let milliseconds = milliseconds.map_err(|e| driver_error("read the time between events", e))?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}
