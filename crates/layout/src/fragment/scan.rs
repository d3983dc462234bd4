//! Scans along an axis.

use super::{FragmentError, WarpPartials};
use crate::DistributedLayout;

/// How to scan a tile along one axis, bit by bit of the coordinate there.
///
/// After the lowest n bits, every segment of 2^n elements along the axis has its *total*, known to all threads that
/// hold one of its elements. A *row* is the elements that a thread holds next to one another from the lowest bits on:
/// it is scanned first, one by one. Each further bit joins pairs of segments, in the thread, by a shuffle, or through
/// shared memory.
///
/// So a layout will do in which each bit of the coordinate is one bit of the register, lane or warp and theirs alone.
///
/// For 64 columns, `{register = [1, 32], lane = [2, 4, 8, 16]}`:
///
/// | bit of the column | is |
/// |---|---|
/// | 0 | register bit 0: rows of 2 |
/// | 1 to 4 | lane bits 0 to 3: four shuffles |
/// | 5 | register bit 1: both segments are in the thread |
///
/// ```
/// use mytriton_layout::{DistributedLayout, ScanPlan, ScanStep};
/// let columns: DistributedLayout = "{register = [1, 32], lane = [2, 4, 8, 16]}".parse()?;
/// let plan = ScanPlan::new(&columns, 0).expect("each bit is one of the register or the lane");
/// assert_eq!((&plan.row[..], &plan.starts[..]), (&[1][..], &[0, 2][..]));
/// let lanes = (0..4).map(|bit| ScanStep::Lanes { bit });
/// assert_eq!(plan.steps, lanes.chain([ScanStep::Registers { mask: 2 }]).collect::<Vec<_>>());
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanPlan {
    /// The register's bit for each bit of the position in a row, as a mask.
    pub row: Vec<u32>,
    /// Registers at the start of a row, ascending, without those that repeat others.
    pub starts: Vec<u32>,
    /// What joins segments, from the lowest bit of the coordinate on.
    pub steps: Vec<ScanStep>,
}

/// What joins pairs of neighbouring segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanStep {
    /// Both are in the thread.
    Registers {
        /// The bit of the register that tells them apart, as a mask.
        mask: u32,
    },
    /// They are in lanes that differ in one bit.
    Lanes {
        /// The bit of the lane.
        bit: u32,
    },
    /// They, and those of the warp bits that follow, are in different warps.
    Warps(WarpPartials),
}

/// What a bit of the coordinate is, by the number of the bit there.
#[derive(Clone, Copy)]
enum AxisBit {
    Register(u32),
    Lane(u32),
    Warp(u32),
}

impl ScanPlan {
    /// The plan for a tile in this layout.
    ///
    /// # Errors
    /// [`ScanBit`](FragmentError::ScanBit), [`ScanBlocks`](FragmentError::ScanBlocks).
    ///
    /// # Panics
    /// Where `axis` is not one of the layout's.
    pub fn new(layout: &DistributedLayout, axis: usize) -> Result<Self, FragmentError> {
        let bits = axis_bits(layout, axis)?;
        let in_row = bits.iter().map_while(|bit| match bit {
            AxisBit::Register(bit) => Some(1 << bit),
            _ => None,
        });
        let row: Vec<u32> = in_row.collect();
        let within = row.iter().fold(0, |mask, bit| mask | bit);
        let starts = layout.unique_registers().into_iter();
        let starts = starts.filter(|register| register & within == 0).collect();

        let lane_bits = layout.num_lanes().ilog2();
        let mut steps = Vec::new();
        // Bits of the thread's number whose threads know the same totals.
        let mut same = 0;
        let mut rest = bits[row.len()..].iter().copied().peekable();
        while let Some(bit) = rest.next() {
            match bit {
                AxisBit::Register(bit) => steps.push(ScanStep::Registers { mask: 1 << bit }),
                AxisBit::Lane(bit) => {
                    steps.push(ScanStep::Lanes { bit });
                    same |= 1 << bit;
                }
                AxisBit::Warp(bit) => {
                    let mut warp_bits = vec![bit];
                    while let Some(AxisBit::Warp(bit)) = rest.next_if(|bit| matches!(bit, AxisBit::Warp(_))) {
                        warp_bits.push(bit);
                    }
                    steps.push(ScanStep::Warps(WarpPartials::new(layout, &warp_bits, same)));
                    same |= warp_bits.iter().fold(0, |mask, bit| mask | 1 << (lane_bits + bit));
                }
            }
        }
        Ok(ScanPlan { row, starts, steps })
    }
}

/// What each bit of the coordinate along the axis is, from the lowest on.
fn axis_bits(layout: &DistributedLayout, axis: usize) -> Result<Vec<AxisBit>, FragmentError> {
    let mut bits: Vec<Option<AxisBit>> = vec![None; layout.shape()[axis].ilog2() as usize];
    for input in ["register", "lane", "warp"] {
        for (basis, bit) in layout.linear().bases(input).zip(0..) {
            let along = basis[axis];
            if along == 0 {
                continue;
            }
            let alone = along.is_power_of_two() && basis.iter().enumerate().all(|(d, &c)| d == axis || c == 0);
            let known = &mut bits[along.ilog2() as usize];
            if !alone || known.is_some() {
                return Err(FragmentError::ScanBit { axis, input, bit });
            }
            *known = Some(match input {
                "register" => AxisBit::Register(bit),
                "lane" => AxisBit::Lane(bit),
                _ => AxisBit::Warp(bit),
            });
        }
    }
    let bits: Option<_> = bits.into_iter().collect();
    bits.ok_or(FragmentError::ScanBlocks { axis })
}
