//! Which part of a tile a round of an exchange moves.

use crate::gf2::{Echelon, extend, independent, intersection};
use crate::{DistributedLayout, LinearLayout};

/// The columns of a conversion's two sides over a space of elements.
pub(super) struct Space<'a> {
    /// Source, destination: (mask of the register's number, column), registers with the same element once.
    pub registers: [Vec<(u32, u64)>; 2],
    pub lanes: [Vec<u64>; 2],
    pub warps: [Vec<u64>; 2],
    /// The tile that columns are packed coordinates of.
    pub tile: &'a LinearLayout,
}

impl<'a> Space<'a> {
    /// The whole tile, shared by all warps.
    pub fn of_block(src: &'a DistributedLayout, dst: &DistributedLayout) -> Self {
        let sides = [src, dst].map(|layout| {
            let columns = layout.columns();
            let bits = |dim| layout.linear().in_bits(dim) as usize;
            let (registers, rest) = columns.split_at(bits("register"));
            let (lanes, rest) = rest.split_at(bits("lane"));
            let free = layout.register_free_mask();
            let registers = registers.iter().zip(0..).filter(|(_, bit)| free >> bit & 1 == 0);
            let registers: Vec<(u32, u64)> = registers.map(|(&column, bit)| (1 << bit, column)).collect();
            (registers, lanes.to_vec(), rest[..bits("warp")].to_vec())
        });
        let [a, b] = sides;
        Space {
            registers: [a.0, b.0],
            lanes: [a.1, b.1],
            warps: [a.2, b.2],
            tile: src.linear(),
        }
    }

    /// The elements of a warp: what warps of the source differ in is its place. A warp of the destination wants elements at a
    /// constant distance.
    pub fn of_warp(self) -> Self {
        let [src, dst] = &self.warps;
        let apart = src.iter().zip(dst).map(|(a, b)| a ^ b).collect();
        Space {
            warps: [vec![0; src.len()], apart],
            ..self
        }
    }

    fn threads(&self) -> Vec<u64> {
        let [lanes, warps] = [&self.lanes, &self.warps].map(|[a, b]| [&a[..], b].concat());
        [lanes, warps].concat()
    }

    pub fn columns(&self, side: usize) -> Vec<u64> {
        self.registers[side].iter().map(|&(_, column)| column).collect()
    }

    /// Directions along which the tile can be split in rounds, the best last: first come those for vectors.
    fn common(&self) -> Vec<u64> {
        extend(&self.threads(), &intersection(&self.columns(0), &self.columns(1))).to_vec()
    }

    /// Everything that the source holds, and so the destination.
    fn span(&self) -> Vec<u64> {
        independent(&[self.columns(0), self.lanes[0].clone(), self.warps[0].clone()].concat()).to_vec()
    }

    /// Splits the space so that what a round moves, 2^bits elements, `fits`: in as few rounds as may be, and by registers of
    /// both sides if that suffices. Where nothing fits, by these alone.
    pub fn split(&self, fits: impl Fn(usize) -> bool) -> Split {
        let total = self.span().len();
        let common = self.common();
        let by_registers = |count: usize| common[common.len() - count..].to_vec();
        let enough = (0..=common.len()).find(|count| fits(total - count));
        let base = self.split_along(&by_registers(enough.unwrap_or(common.len())));
        let base = base.unwrap_or_else(|| self.whole());
        let mut split = base.clone();
        for direction in self.candidates() {
            if fits(split.kept.len()) {
                break;
            }
            let more = [&split.directions[..], &[direction]].concat();
            split = self.split_along(&more).unwrap_or(split);
        }
        if fits(split.kept.len()) { split } else { base }
    }

    /// One round.
    fn whole(&self) -> Split {
        let kept = self.span();
        Split {
            coordinates: Echelon::new(&kept),
            kept,
            directions: Vec::new(),
            in_registers: [0; 2],
        }
    }

    /// Directions that a side has in registers or threads. First come those for which the fewest threads are idle: a warp is
    /// better left out than some of its lanes, which are served at once. Of equal ones it is stores that take turns, whose
    /// results nobody merges.
    fn candidates(&self) -> Vec<u64> {
        let idle = |side: usize, direction: u64| {
            let registers = self.columns(side);
            let has = |more: &[u64]| extend(&[&registers[..], more].concat(), &[direction]).is_empty();
            match (has(&[]), has(&self.warps[side])) {
                (true, _) => 0,
                (_, true) => 1,
                _ => 3,
            }
        };
        let all = [
            &self.columns(1),
            &self.columns(0),
            &self.warps[0],
            &self.warps[1],
            &self.lanes[0],
            &self.lanes[1],
        ];
        let all = all.into_iter().flatten().copied();
        let mut all: Vec<u64> = all.filter(|&column| column != 0).collect();
        all.sort_by_cached_key(|&direction| idle(0, direction) + idle(1, direction));
        all
    }

    /// The split along these directions, if on each side each is one of registers alone, or of threads alone.
    fn split_along(&self, directions: &[u64]) -> Option<Split> {
        if extend(&[], directions).len() < directions.len() {
            return None;
        }
        let registers = [self.columns(0), self.columns(1)];
        let threads = [0, 1].map(|side| [&self.lanes[side][..], &self.warps[side]].concat());
        let in_registers = [0, 1].map(|side| {
            let is_in = |(_, direction): &(usize, &u64)| extend(&registers[side], &[**direction]).is_empty();
            let bits = directions.iter().enumerate().filter(is_in);
            bits.map(|(bit, _)| 1u64 << bit).sum()
        });
        // What has no part in a direction lies in what is kept: threads where all directions are of registers, and so on.
        let all = (1u64 << directions.len()) - 1;
        let first = [0, 1].map(|side| match in_registers[side] {
            mask if mask == all => &threads[side][..],
            0 => &registers[side],
            _ => &[],
        });
        let kept = extend(
            directions,
            &[&first.concat()[..], &self.threads(), &self.span()].concat(),
        )
        .to_vec();
        let coordinates = Echelon::new(&[&kept[..], directions].concat());
        let along = |column: &u64| coordinates.solve(*column).unwrap_or(0) >> kept.len();
        let is_possible = [0, 1].into_iter().all(|side| {
            let mask = in_registers[side];
            registers[side].iter().all(|column| along(column) & !mask == 0)
                && threads[side].iter().all(|column| along(column) & mask == 0)
        });
        is_possible.then(|| Split {
            kept,
            directions: directions.to_vec(),
            coordinates,
            in_registers,
        })
    }
}

/// A space in two: what a round moves, and the directions from round to round.
#[derive(Clone)]
pub(super) struct Split {
    /// A basis of what a round moves.
    pub kept: Vec<u64>,
    /// What changes from round to round.
    pub directions: Vec<u64>,
    /// Solves for coordinates: first those of what is kept.
    pub coordinates: Echelon,
    /// For each side the directions, as a mask, that it has in registers. The others it has in threads.
    pub in_registers: [u64; 2],
}
