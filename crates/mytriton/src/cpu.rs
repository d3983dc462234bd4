//! The CPU device's memory and threads.
//!
//! There is one memory for the process, so that every `Device::cpu()` is the same device. Launches read-lock it, and
//! making or freeing a buffer write-locks it.
//!
//! Programs run in a thread pool of their own, and the thread that launches waits without doing other work. Both matter:
//! in a shared pool, a thread that waits for programs could take up a task of the user's that makes a buffer, and wait
//! for its own lock.

use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use mytriton_interp::{Argument, BufferId, InterpError, Memory, Options, Prepared};
use mytriton_ssa::Scalar;
use rayon::ThreadPool;

use crate::error::Error;

fn memory() -> &'static RwLock<Memory> {
    static MEMORY: OnceLock<RwLock<Memory>> = OnceLock::new();
    MEMORY.get_or_init(RwLock::default)
}

// A panic elsewhere leaves no half-done change: buffers are added and removed as a whole.
fn shared() -> RwLockReadGuard<'static, Memory> {
    memory().read().unwrap_or_else(PoisonError::into_inner)
}

fn exclusive() -> RwLockWriteGuard<'static, Memory> {
    memory().write().unwrap_or_else(PoisonError::into_inner)
}

fn pool() -> Result<&'static ThreadPool, Error> {
    static POOL: OnceLock<Result<ThreadPool, String>> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let name = |i| format!("mytriton-cpu-{i}");
        let pool = rayon::ThreadPoolBuilder::new().thread_name(name).build();
        pool.map_err(|e| e.to_string())
    });
    pool.as_ref().map_err(|e| Error::CpuThreads(e.clone()))
}

/// A buffer of the CPU device, removed with the value.
#[derive(Debug)]
pub(crate) struct CpuBuffer {
    id: BufferId,
    address: u64,
}

impl CpuBuffer {
    pub(crate) fn upload(elem: Scalar, bytes: &[u8]) -> Result<CpuBuffer, Error> {
        CpuBuffer::add(|memory| memory.add_buffer("", elem, bytes))
    }

    pub(crate) fn zeros(elem: Scalar, count: u64) -> Result<CpuBuffer, Error> {
        CpuBuffer::add(|memory| memory.add_zeros("", elem, count))
    }

    /// Buffers have no names: messages then use that of the parameter.
    fn add(
        add: impl FnOnce(&mut Memory) -> Result<BufferId, mytriton_interp::MemoryError>,
    ) -> Result<CpuBuffer, Error> {
        let mut memory = exclusive();
        let id = add(&mut memory)?;
        let address = memory.address(id)?;
        Ok(CpuBuffer { id, address })
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        Ok(shared().read(self.id, offset, out)?)
    }

    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        Ok(shared().write(self.id, offset, bytes)?)
    }
}

impl Drop for CpuBuffer {
    fn drop(&mut self) {
        // It exists: nothing else removes it.
        let _ = exclusive().remove_buffer(self.id);
    }
}

/// Runs a kernel and waits for its end.
pub(crate) fn run(kernel: &Prepared, grid: [u32; 3], args: &[Argument]) -> Result<(), Error> {
    let pool = pool()?;
    let memory = shared();
    let memory: &Memory = &memory;
    let run = || pool.install(|| kernel.run(grid, args, memory, &Options::default()));
    let result: Result<(), InterpError> = if rayon::current_thread_index().is_some() {
        // A worker of a pool would do other tasks of its pool while it waits; see above.
        std::thread::scope(|scope| match scope.spawn(run).join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    } else {
        run()
    };
    Ok(result?)
}
