//! What a run counted: instructions, and how well accesses fit the hardware.

use crate::finding::Finding;
use crate::program::{Place, Space};

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong, in the order of the kernel's operations; each operation and kind once.
    pub findings: Vec<Finding>,
    /// Instructions of threads: of a warp's, one for each active lane.
    pub thread_instructions: u64,
    /// Instructions of warps.
    pub warp_instructions: u64,
    /// Memory accesses, one entry for each operation that made some; only where they were to be counted.
    pub accesses: Vec<AccessCount>,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
    /// 32-bit registers of a thread that are alive at once, at most.
    pub live_words: u32,
}

/// Accesses of one operation.
///
/// Global memory is accessed in *sectors* of 32 bytes; shared memory in *wavefronts*, in each of which a bank (4 bytes
/// of every 128) gives one word (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory", "Shared Memory and
/// Memory Banks"). Accesses of 8 and 16 bytes a lane are made by halves and quarters of a warp.
#[derive(Clone, PartialEq, Debug)]
pub struct AccessCount {
    /// The operation.
    pub place: Place,
    /// Which memory.
    pub space: Space,
    /// Is it a store?
    pub store: bool,
    /// Bytes that a lane accesses at once.
    pub bytes: u32,
    /// Accesses by warps.
    pub warps: u64,
    /// Accesses by threads.
    pub lanes: u64,
    /// Sectors or wavefronts.
    pub transactions: u64,
    /// What as many bytes would need at least.
    pub ideal: u64,
}

impl AccessCount {
    /// Sectors or wavefronts beyond what is needed: bank conflicts, uncoalesced accesses.
    pub fn excess(&self) -> u64 {
        self.transactions - self.ideal
    }
}

/// What one warp's access costs, and what it would at best: (transactions, ideal).
pub(crate) fn cost(space: Space, accesses: &[(u64, u32)]) -> (u64, u64) {
    match space {
        Space::Global => sectors(accesses),
        Space::Shared => wavefronts(accesses),
    }
}

const SECTOR: u64 = 32;
const BANKS: u64 = 32;
const BANK_BYTES: u64 = 4;

fn distinct(mut units: Vec<u64>) -> Vec<u64> {
    units.sort_unstable();
    units.dedup();
    units
}

/// The units of so many bytes that accesses touch.
fn touched(accesses: &[(u64, u32)], unit: u64) -> Vec<u64> {
    let of = |&(at, bytes): &(u64, u32)| at / unit..=(at + u64::from(bytes.max(1)) - 1) / unit;
    distinct(accesses.iter().flat_map(of).collect())
}

fn sectors(accesses: &[(u64, u32)]) -> (u64, u64) {
    // Bytes that several lanes access are needed once. Sizes are powers of two and accesses aligned, so that units of the
    // size do not overlap.
    let unit = accesses.iter().map(|a| u64::from(a.1)).max().unwrap_or(1).max(1);
    let bytes = touched(accesses, unit).len() as u64 * unit;
    (touched(accesses, SECTOR).len() as u64, bytes.div_ceil(SECTOR))
}

fn wavefronts(accesses: &[(u64, u32)]) -> (u64, u64) {
    let bytes = accesses.iter().map(|a| a.1).max().unwrap_or(4);
    let lanes_at_once = match bytes {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    };
    let (mut total, mut ideal) = (0, 0);
    for part in accesses.chunks(lanes_at_once) {
        let mut banks = [0u64; BANKS as usize];
        for word in touched(part, BANK_BYTES) {
            banks[(word % BANKS) as usize] += 1;
        }
        total += banks.iter().max().copied().unwrap_or(0);
        ideal += 1;
    }
    (total, ideal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stride(bytes: u32, stride: u64) -> Vec<(u64, u32)> {
        (0..32).map(|lane| (lane * stride, bytes)).collect()
    }

    #[test]
    fn coalescing() {
        // 32 lanes of 4 bytes in a row are 128 bytes; every second word takes twice the sectors; far apart, one each.
        assert_eq!(sectors(&stride(4, 4)), (4, 4));
        assert_eq!(sectors(&stride(4, 8)), (8, 4));
        assert_eq!(sectors(&stride(4, 4096)), (32, 4));
        assert_eq!(sectors(&stride(16, 16)), (16, 16));
        // All read the same word.
        assert_eq!(sectors(&stride(4, 0)), (1, 1));
        assert_eq!(sectors(&[(4, 4)]), (1, 1));
    }

    #[test]
    fn bank_conflicts() {
        assert_eq!(wavefronts(&stride(4, 4)), (1, 1));
        assert_eq!(wavefronts(&stride(4, 0)), (1, 1));
        // Every second bank, twice; a column of a 32-word row-major tile: one bank.
        assert_eq!(wavefronts(&stride(4, 8)), (2, 1));
        assert_eq!(wavefronts(&stride(4, 128)), (32, 1));
        assert_eq!(wavefronts(&stride(4, 132)), (1, 1));
        // Two halves of a word are one access of its bank.
        assert_eq!(wavefronts(&stride(2, 2)), (1, 1));
        assert_eq!(wavefronts(&stride(8, 8)), (2, 2));
        assert_eq!(wavefronts(&stride(16, 16)), (4, 4));
        assert_eq!(wavefronts(&stride(16, 128)), (32, 4));
        // The 8 rows of an ldmatrix, 144 bytes apart.
        assert_eq!(wavefronts(&(0..8).map(|r| (r * 144, 16)).collect::<Vec<_>>()), (1, 1));
    }
}
