//! Mbarriers of a block (PTX ISA, "mbarrier").
//!
//! An mbarrier goes through *phases*, numbered from 0. A phase completes when all its arrivals have come and all bytes
//! that it was told to expect; the next begins at once. Whoever sees a phase completed knows what was done before every
//! arrival in it and in those before, and what the operations did whose bytes completed it.

use rustc_hash::FxHashMap;

use crate::clock::Knowledge;

/// The most arrivals of a phase, and the most bytes that it waits for.
const MOST: u32 = (1 << 20) - 1;

/// Not as an mbarrier may be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)] // The messages name the fields.
pub enum BarrierFault {
    /// Used before it was initialised, or after it was invalidated.
    #[error("there is no mbarrier at byte {address} of shared memory: initialise it first")]
    NotInitialised { address: u64 },
    /// Initialised twice.
    #[error("the mbarrier at byte {address} of shared memory is initialised already: invalidate it first")]
    Initialised { address: u64 },
    /// Invalidated while an operation will complete on it.
    #[error(
        "the mbarrier is invalidated while {operations} operation(s) in flight will complete on it: wait for them first"
    )]
    InUse { operations: u32 },
    /// A count out of its range.
    #[error("a count of {count} arrivals: it must be 1 to {MOST}")]
    Count { count: u64 },
    /// More arrivals than the phase waits for.
    #[error("{count} arrival(s) at an mbarrier whose phase waits for {pending} more only")]
    TooManyArrivals { count: u32, pending: u32 },
    /// More bytes than it can count.
    #[error("the mbarrier's phase waits for {bytes} bytes: it counts up to {MOST} either way")]
    Bytes { bytes: i64 },
    /// Waiting for something that is no parity.
    #[error("a wait for the phase of parity {parity}: it must be 0 or 1")]
    Parity { parity: u64 },
    /// Waiting for a phase that is neither the current one nor the one before.
    #[error(
        "a wait for phase {state} of an mbarrier in phase {phase}: only the current phase and the one before can be waited for"
    )]
    State { state: u64, phase: u64 },
}

/// An mbarrier.
#[derive(Clone, Debug)]
struct Mbarrier {
    /// Arrivals that a phase waits for.
    count: u32,
    /// Those that have not come in the current phase.
    pending: u32,
    /// Bytes that the current phase still waits for; negative if they came before they were expected.
    bytes: i64,
    /// Number of the current phase.
    phase: u64,
    /// Operations in flight that will complete on it.
    operations: u32,
    /// Of those that arrived in the current phase.
    gathered: Knowledge,
    /// Of those that arrived in completed phases.
    completed: Knowledge,
}

/// The mbarriers of a block, by shared address.
#[derive(Debug, Default)]
pub(crate) struct Mbarriers(FxHashMap<u64, Mbarrier>);

impl Mbarriers {
    fn get(&mut self, address: u64) -> Result<&mut Mbarrier, BarrierFault> {
        self.0.get_mut(&address).ok_or(BarrierFault::NotInitialised { address })
    }

    /// Whether there is one at an address.
    pub fn has(&self, address: u64) -> bool {
        self.0.contains_key(&address)
    }

    /// Makes one of so many arrivals.
    pub fn init(&mut self, address: u64, count: u64) -> Result<(), BarrierFault> {
        let count = checked_count(count)?;
        if self.has(address) {
            return Err(BarrierFault::Initialised { address });
        }
        let barrier = Mbarrier {
            count,
            pending: count,
            bytes: 0,
            phase: 0,
            operations: 0,
            gathered: Knowledge::default(),
            completed: Knowledge::default(),
        };
        self.0.insert(address, barrier);
        Ok(())
    }

    /// Undoes an initialisation.
    pub fn remove(&mut self, address: u64) {
        self.0.remove(&address);
    }

    /// Ends one. What is wrong with that keeps nobody from it.
    pub fn invalidate(&mut self, address: u64) -> Result<(), BarrierFault> {
        let barrier = self
            .0
            .remove(&address)
            .ok_or(BarrierFault::NotInitialised { address })?;
        match barrier.operations {
            0 => Ok(()),
            operations => Err(BarrierFault::InUse { operations }),
        }
    }

    /// An operation that will complete on it is in flight.
    pub fn begin_operation(&mut self, address: u64) -> Result<(), BarrierFault> {
        self.get(address)?.operations += 1;
        Ok(())
    }

    /// It is not, after all.
    pub fn abandon_operation(&mut self, address: u64) {
        if let Some(barrier) = self.0.get_mut(&address) {
            barrier.operations = barrier.operations.saturating_sub(1);
        }
    }

    /// `count` arrivals of one that knows something, with `expect` bytes more to wait for. Gives the number of the phase.
    pub fn arrive(
        &mut self,
        address: u64,
        count: u64,
        expect: Option<u64>,
        knowledge: &Knowledge,
    ) -> Result<u64, BarrierFault> {
        let count = checked_count(count)?;
        let barrier = self.get(address)?;
        if count > barrier.pending {
            let pending = barrier.pending;
            return Err(BarrierFault::TooManyArrivals { count, pending });
        }
        barrier.change_bytes(to_bytes(expect.unwrap_or(0)))?;
        let phase = barrier.phase;
        barrier.pending -= count;
        barrier.gathered.join(knowledge);
        barrier.complete_if_all_came();
        Ok(phase)
    }

    /// The current phase waits for so many bytes more.
    pub fn expect(&mut self, address: u64, bytes: u64) -> Result<(), BarrierFault> {
        let barrier = self.get(address)?;
        barrier.change_bytes(to_bytes(bytes))?;
        barrier.complete_if_all_came();
        Ok(())
    }

    /// An operation has moved so many bytes, and this is what it did.
    pub fn complete(&mut self, address: u64, bytes: u64, knowledge: &Knowledge) -> Result<(), BarrierFault> {
        let barrier = self.get(address)?;
        barrier.operations = barrier.operations.saturating_sub(1);
        barrier.change_bytes(-to_bytes(bytes))?;
        barrier.gathered.join(knowledge);
        barrier.complete_if_all_came();
        Ok(())
    }

    /// What one knows that sees the phase of a parity completed, or of a number that an arrival gave. `None` if it has not.
    pub fn test(&mut self, address: u64, phase: u64, parity: bool) -> Result<Option<&Knowledge>, BarrierFault> {
        let barrier = self.get(address)?;
        let current = barrier.phase;
        let done = match parity {
            true if phase > 1 => return Err(BarrierFault::Parity { parity: phase }),
            true => current % 2 != phase,
            false if phase > current || current - phase > 1 => {
                return Err(BarrierFault::State {
                    state: phase,
                    phase: current,
                });
            }
            false => phase < current,
        };
        Ok(done.then_some(&barrier.completed))
    }

    /// Arrivals and bytes that the current phase of the one at an address waits for.
    pub fn waits_for(&self, address: u64) -> Option<(u32, i64)> {
        self.0.get(&address).map(|barrier| (barrier.pending, barrier.bytes))
    }
}

impl Mbarrier {
    fn change_bytes(&mut self, by: i64) -> Result<(), BarrierFault> {
        let bytes = self.bytes.saturating_add(by);
        if bytes.unsigned_abs() > u64::from(MOST) {
            return Err(BarrierFault::Bytes { bytes });
        }
        self.bytes = bytes;
        Ok(())
    }

    fn complete_if_all_came(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase += 1;
            self.pending = self.count;
            self.completed.join(&std::mem::take(&mut self.gathered));
        }
    }
}

fn checked_count(count: u64) -> Result<u32, BarrierFault> {
    match u32::try_from(count) {
        Ok(checked @ 1..=MOST) => Ok(checked),
        _ => Err(BarrierFault::Count { count }),
    }
}

fn to_bytes(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
