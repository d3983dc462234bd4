//! A thread on which LLVM may fail fatally without taking the process along.
//!
//! LLVM answers some faults of its input ("Cannot select ...") by calling a process-wide fatal error handler and, when
//! that returns, `abort`. The handler must not return, and it cannot unwind either: LLVM is built without exceptions.
//! What it can do is never return. So LLVM's work runs on a helper thread that belongs to the calling thread; on a
//! fatal error the handler hands the message to the caller and parks the helper for good. The caller gets an error,
//! and the next call a new helper. The price is the memory of the failed compilation, which stays allocated, and a
//! hand-over of some microseconds for each call.
//!
//! Fatal errors on other threads behave as ever: LLVM prints them and aborts. So do failed assertions of a debug build
//! of LLVM, which do not go through the handler.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use inkwell::support::error_handling::install_fatal_error_handler;

use crate::error::Error;

/// LLVM recurses deeply on large functions: as much stack as a main thread has. It is only reserved, not used up.
const STACK_BYTES: usize = 16 << 20;

/// How a job ended.
enum Signal {
    Done,
    Panicked(Box<dyn Any + Send>),
    Fatal(String),
}

/// A job with its lifetime taken off; see the safety notes in [`run`].
struct Job(Box<dyn FnOnce()>);

// SAFETY: a job is run by one thread while the thread that made it waits, so that what it refers to is never used by
// two threads at a time.
unsafe impl Send for Job {}

/// The calling thread's helper.
struct Helper {
    jobs: Sender<(Job, Sender<Signal>)>,
}

thread_local! {
    /// The helper of this thread, once it has needed one.
    static HELPER: RefCell<Option<Helper>> = const { RefCell::new(None) };
    /// On a helper: where a fatal error is to be reported. `None` on every other thread.
    static REPORT: RefCell<Option<Sender<Signal>>> = const { RefCell::new(None) };
}

/// Runs `job` on the helper of this thread and waits for it. Panics are passed on.
///
/// # Errors
/// [`Error::Fatal`] with LLVM's message if LLVM failed fatally; the job's values are then leaked.
/// [`Error::Setup`] if no thread could be started.
pub fn run<T>(job: impl FnOnce() -> T) -> Result<T, Error> {
    let mut slot: Option<T> = None;
    let target = &mut slot;
    let job: Box<dyn FnOnce() + '_> = Box::new(move || *target = Some(job()));
    // SAFETY: the lifetime that is taken off ends when this function returns. It returns only after a signal: `Done` or
    // `Panicked`, when the helper has run and dropped the job, or `Fatal`, when the helper is parked and never touches
    // the job or anything it refers to again.
    let job = Job(unsafe { std::mem::transmute::<Box<dyn FnOnce() + '_>, Box<dyn FnOnce() + 'static>>(job) });
    match submit(job)?.recv() {
        Ok(Signal::Done) => slot.ok_or_else(|| Error::Setup("the code generation thread lost its result".to_owned())),
        Ok(Signal::Panicked(payload)) => resume_unwind(payload),
        Ok(Signal::Fatal(message)) => {
            // That helper is gone; the next call starts another.
            HELPER.with_borrow_mut(|helper| *helper = None);
            Err(Error::Fatal(message))
        }
        Err(_) => Err(Error::Setup("the code generation thread ended early".to_owned())),
    }
}

/// Gives the job to the helper, which is started if need be.
fn submit(job: Job) -> Result<Receiver<Signal>, Error> {
    let (signal, result) = channel();
    HELPER.with_borrow_mut(|helper| {
        if helper.is_none() {
            *helper = Some(start()?);
        }
        let jobs = helper.as_ref().map(|helper| &helper.jobs);
        match jobs.map(|jobs| jobs.send((job, signal))) {
            Some(Ok(())) => Ok(result),
            _ => Err(Error::Setup("the code generation thread is not running".to_owned())),
        }
    })
}

fn start() -> Result<Helper, Error> {
    static HANDLER: Once = Once::new();
    // SAFETY: the handler has the signature that LLVM wants and stays valid for the life of the process.
    HANDLER.call_once(|| unsafe { install_fatal_error_handler(on_fatal_error) });
    let (jobs, inbox) = channel::<(Job, Sender<Signal>)>();
    thread::Builder::new()
        .name("mytriton-llvm".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            for (job, signal) in inbox {
                REPORT.with_borrow_mut(|report| *report = Some(signal.clone()));
                let outcome = catch_unwind(AssertUnwindSafe(job.0));
                REPORT.with_borrow_mut(|report| *report = None);
                // The caller waits for this; it cannot have gone away.
                let _ = signal.send(outcome.map_or_else(Signal::Panicked, |()| Signal::Done));
            }
        })
        .map_err(|error| Error::Setup(format!("cannot start the code generation thread: {error}")))?;
    Ok(Helper { jobs })
}

/// LLVM's fatal error handler. Returns, and so lets LLVM abort, on threads that are not helpers at work.
extern "C" fn on_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string that lives during the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned();
    let report = REPORT.with_borrow_mut(Option::take);
    if let Some(report) = report
        && report.send(Signal::Fatal(reason)).is_ok()
    {
        loop {
            thread::park();
        }
    }
}
