//! What was measured, as data: written as JSON, a table and a plot, and read again.

mod output;
mod plot;
mod table;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::output::{read, write};
pub use self::table::markdown;

/// A run: where it was made and all that was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The machine, the versions, and how it was measured.
    pub facts: Facts,
    /// Was everything that was asked for measured? A run that was cut off leaves what it has.
    pub complete: bool,
    /// One for each benchmark and size.
    pub cases: Vec<Case>,
}

/// The machine, the versions, and how it was measured.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The GPU.
    pub device: String,
    /// What our kernels were compiled for.
    pub target: String,
    /// The driver, as its kernel module names itself, where it does; and the newest CUDA that it knows.
    pub driver: String,
    /// Of this project.
    pub commit: String,
    /// Of the inputs.
    pub seed: u64,
    /// Launches timed in each round.
    pub repetitions: usize,
    /// How often everyone had a turn.
    pub rounds: usize,
    /// The peers' versions by name.
    pub peers: BTreeMap<String, String>,
    /// Why there are no peers.
    pub without_peers: Option<String>,
}

/// One benchmark at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    /// Its name: `softmax`.
    pub bench: String,
    /// Element type and extents: `f32 32768x1024`.
    pub size: String,
    /// What is compared.
    pub unit: Unit,
    /// The bytes that have to be moved: each operand once.
    pub bytes: Option<u64>,
    /// What everyone reached.
    pub entries: Vec<Entry>,
    /// What failed, each with its reason.
    pub problems: Vec<String>,
    /// Did one of our configurations give a wrong result? One that does not fit the GPU is a problem alone.
    #[serde(default)]
    pub wrong: bool,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Unit {
    /// 10^9 bytes each second: more is better.
    #[serde(rename = "GB/s")]
    GigabytesPerSecond,
    /// Milliseconds: less is better.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds: less is better.
    #[serde(rename = "us")]
    Microseconds,
}

impl Unit {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Unit::GigabytesPerSecond => "GB/s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
        }
    }

    /// Is the first value better?
    fn better(self, a: f64, b: f64) -> bool {
        match self {
            Unit::GigabytesPerSecond => a > b,
            Unit::Milliseconds | Unit::Microseconds => a < b,
        }
    }
}

/// Who it is that reached something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// This project.
    Ours,
    /// Who we compare with.
    Peer,
    /// What the hardware and its driver do: the driver's copy, a launch with nothing around it.
    Yardstick,
}

/// What one of them reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub who: String,
    /// What it is.
    pub role: Role,
    /// What was chosen of the configurations tried.
    pub config: String,
    /// The figure, in the case's unit: the median of all rounds.
    pub value: f64,
    /// Medians of the rounds, in the case's unit: their spread is noise.
    pub rounds: Vec<f64>,
    /// The best single repetition, in the case's unit.
    pub best: f64,
    /// What the machine code is like.
    pub code: Option<Code>,
}

/// What the machine code of a kernel is like.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Code {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of local memory of a thread: what the registers did not hold.
    pub local_bytes: u32,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
    /// Loads from global memory in the PTX: how many of so many bytes each.
    pub loads: BTreeMap<u32, usize>,
    /// Stores likewise.
    pub stores: BTreeMap<u32, usize>,
}

impl Case {
    /// Name and size.
    pub fn title(&self) -> String {
        format!("{} {}", self.bench, self.size)
    }

    /// The best of a role.
    pub fn best(&self, role: Role) -> Option<&Entry> {
        let all = self.entries.iter().filter(|entry| entry.role == role);
        all.reduce(|a, b| if self.unit.better(b.value, a.value) { b } else { a })
    }

    /// How many times as fast as the best peer we are.
    pub fn ratio(&self) -> Option<f64> {
        let (ours, peer) = (self.best(Role::Ours)?.value, self.best(Role::Peer)?.value);
        Some(match self.unit {
            Unit::GigabytesPerSecond => ours / peer,
            Unit::Milliseconds | Unit::Microseconds => peer / ours,
        })
    }

    /// What part of the yardstick's throughput an entry reaches; nothing where time is compared.
    pub fn of_copy(&self, entry: &Entry) -> Option<f64> {
        (self.unit == Unit::GigabytesPerSecond)
            .then(|| self.best(Role::Yardstick).map(|copy| entry.value / copy.value))
            .flatten()
    }

    /// The largest difference between rounds of one entry, relative to its value: smaller differences say nothing.
    pub fn noise(&self) -> Option<f64> {
        let spread = |entry: &Entry| {
            let least = entry.rounds.iter().copied().reduce(f64::min)?;
            let most = entry.rounds.iter().copied().reduce(f64::max)?;
            (entry.rounds.len() > 1).then_some((most - least) / entry.value)
        };
        self.entries.iter().filter_map(spread).reduce(f64::max)
    }
}

impl Entry {
    /// Makes the figures from times in milliseconds, by rounds; nothing if there are none.
    pub fn from_times(who: &str, role: Role, unit: Unit, bytes: Option<u64>, times: &[Vec<f64>]) -> Option<Entry> {
        let figure = |ms: f64| match unit {
            // Bytes over milliseconds over 10^6 are 10^9 bytes each second.
            Unit::GigabytesPerSecond => bytes.unwrap_or_default() as f64 / ms / 1e6,
            Unit::Milliseconds => ms,
            Unit::Microseconds => ms * 1e3,
        };
        let all = times.concat();
        Some(Entry {
            who: who.to_owned(),
            role,
            config: String::new(),
            value: figure(median(&all)?),
            rounds: times.iter().filter_map(|round| median(round)).map(figure).collect(),
            best: figure(all.iter().copied().reduce(f64::min)?),
            code: None,
        })
    }
}

/// The middle one; of an even number the mean of both.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (middle, odd) = (sorted.len() / 2, sorted.len() % 2 == 1);
    let upper = *sorted.get(middle)?;
    Some(if odd { upper } else { (upper + sorted[middle - 1]) / 2.0 })
}

#[cfg(test)]
mod tests;
