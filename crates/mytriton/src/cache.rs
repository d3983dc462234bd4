//! Compiled forms of one kernel, found again at each launch without locks.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use mytriton_frontend::{ConstexprValue, Specialization};
use mytriton_interp::Prepared;
use mytriton_runtime::Function;
use rustc_hash::FxHasher;

use crate::error::Error;
use crate::options::LaunchOptions;
#[cfg(feature = "jit")]
use crate::simt_device::SimtKernel;

const BUCKETS: usize = 16;

/// The compiled forms of one kernel: one for each set of compile-time values, facts about arguments, options and device
/// that it was launched with. They are kept as long as the process runs.
///
/// Buckets of lists that only grow: looking one up is a hash and a comparison, and never waits for a compilation of
/// another.
pub struct KernelCache {
    buckets: [OnceLock<Box<Node>>; BUCKETS],
}

/// What a form is compiled for.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    pub place: usize,
    pub facts: Specialization,
    pub options: LaunchOptions,
    pub constexprs: &'a [ConstexprValue],
}

struct Node {
    place: usize,
    facts: Specialization,
    options: LaunchOptions,
    constexprs: Box<[ConstexprValue]>,
    executable: OnceLock<Executable>,
    /// Held while it is compiled. Failures are not kept: the next launch tries again.
    compiling: Mutex<()>,
    next: OnceLock<Box<Node>>,
}

/// A kernel ready for launches.
#[derive(Debug)]
pub(crate) enum Executable {
    Cpu(Prepared),
    #[cfg(feature = "jit")]
    Simt(Box<SimtKernel>),
    Cuda(Function),
}

impl KernelCache {
    /// An empty cache.
    pub const fn new() -> KernelCache {
        KernelCache {
            buckets: [const { OnceLock::new() }; BUCKETS],
        }
    }

    /// The form for a key, made by `compile` if there is none. Two threads that miss the same one compile it once.
    #[inline]
    pub(crate) fn get(
        &self,
        key: Key<'_>,
        compile: impl FnOnce() -> Result<Executable, Error>,
    ) -> Result<&Executable, Error> {
        let mut link = &self.buckets[key.bucket()];
        while let Some(node) = link.get() {
            if node.matches(&key) {
                return match node.executable.get() {
                    Some(executable) => Ok(executable),
                    None => node.compile(compile),
                };
            }
            link = &node.next;
        }
        insert(link, key).compile(compile)
    }
}

impl Default for KernelCache {
    fn default() -> KernelCache {
        KernelCache::new()
    }
}

impl Key<'_> {
    #[inline]
    fn bucket(&self) -> usize {
        let mut hasher = FxHasher::default();
        self.facts.hash(&mut hasher);
        self.options.num_warps.hash(&mut hasher);
        for value in self.constexprs {
            value.hash(&mut hasher);
        }
        // Its upper bits are the good ones.
        (hasher.finish() >> 60) as usize % BUCKETS
    }
}

impl Node {
    #[inline]
    fn matches(&self, key: &Key<'_>) -> bool {
        self.place == key.place
            && self.facts == key.facts
            && self.options == key.options
            && *self.constexprs == *key.constexprs
    }

    #[cold]
    fn compile(&self, compile: impl FnOnce() -> Result<Executable, Error>) -> Result<&Executable, Error> {
        let _guard = self.compiling.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(executable) = self.executable.get() {
            return Ok(executable);
        }
        let executable = compile()?;
        Ok(self.executable.get_or_init(|| executable))
    }
}

/// Appends a node for the key to the list that ends with `link`, unless another thread does so first.
#[cold]
fn insert<'a>(mut link: &'a OnceLock<Box<Node>>, key: Key<'_>) -> &'a Node {
    loop {
        let node = link.get_or_init(|| {
            Box::new(Node {
                place: key.place,
                facts: key.facts,
                options: key.options,
                constexprs: key.constexprs.into(),
                executable: OnceLock::new(),
                compiling: Mutex::new(()),
                next: OnceLock::new(),
            })
        });
        if node.matches(&key) {
            return node;
        }
        link = &node.next;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use mytriton_ssa::Kernel;

    use super::*;

    fn executable() -> Result<Executable, Error> {
        Ok(Executable::Cpu(Prepared::new(Kernel::new("k"))?))
    }

    #[test]
    fn each_key_is_compiled_once_by_many_threads() {
        let cache = KernelCache::new();
        let compiled = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..400 {
                        let constexprs = [ConstexprValue::I32(round % 100)];
                        let key = Key {
                            place: 0,
                            facts: Specialization::NONE,
                            options: LaunchOptions::DEFAULT,
                            constexprs: &constexprs,
                        };
                        let found = cache.get(key, || {
                            compiled.fetch_add(1, Relaxed);
                            executable()
                        });
                        found.unwrap();
                    }
                });
            }
        });
        assert_eq!(compiled.load(Relaxed), 100);
    }

    #[test]
    fn every_part_of_the_key_counts_and_failures_are_tried_again() {
        let cache = KernelCache::new();
        let base = Key {
            place: 0,
            facts: Specialization::NONE,
            options: LaunchOptions::DEFAULT,
            constexprs: &[ConstexprValue::F32(0.0)],
        };
        let options = LaunchOptions {
            fp_fusion: false,
            ..LaunchOptions::DEFAULT
        };
        let keys = [
            base,
            Key { place: 1, ..base },
            Key {
                facts: Specialization::NONE.with_divisible_by_16(0),
                ..base
            },
            Key { options, ..base },
            Key {
                constexprs: &[ConstexprValue::F32(-0.0)],
                ..base
            },
            Key {
                constexprs: &[],
                ..base
            },
        ];
        for key in keys {
            assert!(cache.get(key, || Err(Error::NumWarps(3))).is_err());
            cache.get(key, executable).unwrap();
            cache.get(key, || panic!("it is there")).unwrap();
        }
    }
}
