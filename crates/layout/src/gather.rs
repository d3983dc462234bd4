//! Elements named by an index, found within the warp.

use crate::{Coords, Dim, DistributedLayout, LinearLayout};

/// How a gather finds its elements without shared memory: each element that a thread wants is in a register of a lane of its
/// own warp. Which lane follows, bit by bit, from the thread and the index; of the registers that it may be in one is sent
/// per *choice*, and the index chooses among those that come.
///
/// For 32 columns on 16 lanes, two neighbours in each, and a row for each half of the warp: the index's lowest bit chooses the
/// register, the others are the lane's, whose highest bit is the thread's own.
///
/// | index bit | is bit |
/// |---|---|
/// | 0 | 0 of the register |
/// | 1, 2, 3, 4 | 0, 1, 2, 3 of the lane |
///
/// ```
/// use mytriton_layout::{DistributedLayout, WarpGather};
/// let rows: DistributedLayout =
///     "{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0]]}".parse()?;
/// let plan = WarpGather::new(&rows, &rows, 1).expect("no row leaves its warp");
/// assert_eq!(plan.choosing, [0]);
/// assert_eq!(plan.candidates, [[0, 1], [0, 1]]);
/// assert!(!plan.keeps_lanes);
/// // Columns of four rows do.
/// assert!(WarpGather::new(&rows, &rows, 0).is_none());
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarpGather {
    /// Bits of the index that choose among the registers sent, the lowest one first.
    pub choosing: Vec<u32>,
    /// For each register of the result, the source's register for each choice.
    pub candidates: Vec<Vec<u32>>,
    /// Are the elements in the thread's own lane, so that nothing is sent?
    pub keeps_lanes: bool,
    /// From `register`, `lane` and `warp` of the result to what they add, by an exclusive or, to the lane that sends.
    pub lane_of_thread: LinearLayout,
    /// From `index`, below the padded extent, to the same.
    pub lane_of_index: LinearLayout,
}

impl WarpGather {
    /// The plan for a tile in the layout `source`, gathered along `axis` by indices in the layout `index`, in which the
    /// result lies too. None where elements may be in other warps, or in registers that depend on the thread.
    pub fn new(source: &DistributedLayout, index: &DistributedLayout, axis: usize) -> Option<Self> {
        let fits = source.rank() == index.rank() && axis < source.rank() && source.num_warps() == index.num_warps();
        if !fits || source.num_blocks() > 1 || index.num_blocks() > 1 {
            return None;
        }
        let place = source.linear().pseudo_invert().ok()?;
        // Register, lane and warp of the source's element at a coordinate.
        let at = |coords: &[u32]| -> Option<[u32; 3]> {
            let dims: Vec<Dim> = (0..coords.len()).map(Dim::out).collect();
            let coords: Vec<(&str, u32)> = dims.iter().map(Dim::as_str).zip(coords.iter().copied()).collect();
            let place_of = place.apply(&coords).ok()?;
            let outs: Vec<&str> = place.outs().map(|(dim, _)| dim.as_str()).collect();
            let part = |name| outs.iter().position(|out| *out == name).map_or(0, |i| place_of[i]);
            Some(["register", "lane", "warp"].map(part))
        };
        // Where the tile repeats itself, one is as good as another.
        let repeated = |input: &str| {
            let bases = source.linear().bases(input).enumerate();
            bases.fold(0, |mask, (bit, basis)| match basis.iter().all(|&c| c == 0) {
                true => mask | 1 << bit,
                false => mask,
            })
        };
        let [any_lane, any_warp]: [u32; 2] = ["lane", "warp"].map(repeated);

        let mut keeps_lanes = true;
        let mut by_index = Vec::new();
        let mut sources: Vec<u32> = vec![0];
        let mut choosing = Vec::new();
        for bit in 0..source.shape()[axis].ilog2() {
            let mut coords = vec![0; source.rank()];
            coords[axis] = 1 << bit;
            let [register, lane, warp] = at(&coords)?;
            if warp != 0 {
                return None;
            }
            keeps_lanes &= lane == 0;
            by_index.push([lane]);
            if register != 0 {
                choosing.push(bit);
                sources.extend(sources.clone().iter().map(|choice| choice ^ register));
            }
        }
        let others = |mut basis: Coords| {
            basis[axis] = 0;
            at(&basis)
        };
        let mut by_thread: [Vec<[u32; 1]>; 3] = Default::default();
        let mut registers = vec![0];
        for (input, name) in ["register", "lane", "warp"].into_iter().enumerate() {
            for (bit, basis) in index.linear().bases(name).enumerate() {
                let [register, lane, warp] = others(basis)?;
                let own = 1u32 << bit;
                let [own_lane, own_warp] = [if input == 1 { own } else { 0 }, if input == 2 { own } else { 0 }];
                if (warp ^ own_warp) & !any_warp != 0 || input > 0 && register != 0 {
                    return None;
                }
                if input == 0 {
                    registers.extend(registers.clone().iter().map(|other| other ^ register));
                }
                keeps_lanes &= (lane ^ own_lane) & !any_lane == 0;
                by_thread[input].push([lane]);
            }
        }
        let candidates = registers
            .iter()
            .map(|register| sources.iter().map(|choice| register ^ choice).collect());
        let lanes = [("lane", source.num_lanes())];
        let inputs = ["register", "lane", "warp"].into_iter().zip(by_thread);
        Some(WarpGather {
            choosing,
            candidates: candidates.collect(),
            keeps_lanes,
            lane_of_thread: LinearLayout::from_bases(inputs, &lanes).ok()?,
            lane_of_index: LinearLayout::from_bases([("index", by_index)], &lanes).ok()?,
        })
    }

    /// How many elements are sent to each one that a thread wants.
    pub fn num_choices(&self) -> usize {
        1 << self.choosing.len()
    }
}
