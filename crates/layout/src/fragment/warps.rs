//! Partial results of warps, combined through shared memory.

use crate::DistributedLayout;

/// Which threads hold what before partial results of the warps are combined, by bits of the thread's number in its
/// block: those of the lane, then those of the warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpPartials {
    /// Bits, from low to high, whose threads hold parts of one result.
    pub reduced: Vec<u32>,
    /// Bits, from low to high, whose threads hold parts of different results.
    pub distinct: Vec<u32>,
    /// Threads in which these bits are 0 write; what another holds is written by one of those.
    pub copies: u32,
}

impl WarpPartials {
    /// Of partial results that lie in `layout` where they are distinct: the bits `warp_bits` of the warp hold parts of
    /// one result, and the bits `same` of the thread's number hold the same already.
    pub fn new(layout: &DistributedLayout, warp_bits: &[u32], same: u32) -> Self {
        let lane_bits = layout.num_lanes().ilog2();
        let reduced: Vec<u32> = warp_bits.iter().map(|bit| lane_bits + bit).collect();
        let taken = reduced.iter().fold(same, |bits, bit| bits | 1 << bit);
        let bases = ["lane", "warp"].map(|input| layout.linear().bases(input));
        let moves = bases.into_iter().flatten().zip(0u32..);
        let distinct: Vec<u32> = moves
            .filter(|(basis, bit)| basis.iter().any(|&c| c != 0) && taken >> bit & 1 == 0)
            .map(|(_, bit)| bit)
            .collect();
        let written = reduced.iter().chain(&distinct).fold(0, |bits, bit| bits | 1 << bit);
        WarpPartials {
            reduced,
            distinct,
            copies: (layout.num_warps() * layout.num_lanes() - 1) & !written,
        }
    }

    /// Warps whose parts make one result.
    pub fn num_parts(&self) -> u64 {
        1 << self.reduced.len()
    }
}
