//! The layout of a tile in shared memory between two others.

use crate::gf2::{extend, independent, intersection};
use crate::{Dim, DistributedLayout, LayoutError, LinearLayout};

use super::rows::matrix_layouts;
use super::{ACCESS_BITS, Access, Matrices, Result, Staging, WORD_BITS, element_bits, lane_bits};

impl Staging {
    /// Chooses a layout in which neither storing from `src` nor loading into `dst` conflicts.
    ///
    /// Vectors are what both hold in registers. Of the rest of the tile, the lanes of the source span a space A, those
    /// of the destination B. Two lanes conflict where they differ in the row of the banks alone; so the rows must be
    /// a space that meets neither A nor B. Such a common complement exists: pair what A has beyond B with what
    /// B has beyond A, and take the sums; add what neither reaches.
    ///
    /// One side may have longer vectors, of what it alone holds in registers, if the lanes of the other then still find
    /// their elements in different banks. That is chosen where it takes fewer accesses.
    ///
    /// Matrices are accessed where they are to be had, fit, and take less: where vectors are short.
    ///
    /// # Errors
    /// Both must be layouts of one tile; elements have 1, 2, 4, 8 or 16 bytes.
    pub fn choose(
        src: &DistributedLayout,
        dst: &DistributedLayout,
        element_bytes: u32,
        matrices: Matrices,
    ) -> Result<Self> {
        let element = element_bits(element_bytes)?;
        if src.shape() != dst.shape() {
            let message = format!("tiles {:?} and {:?} differ", &src.shape()[..], &dst.shape()[..]);
            return Err(LayoutError::Parameters {
                constructor: "shared",
                message,
            });
        }
        let sides = [Columns::new(src), Columns::new(dst)];
        let size = src.linear().total_out_bits();
        let outs: Vec<(&str, u32)> = src.linear().outs().map(|(dim, size)| (dim.as_str(), size)).collect();
        let layout_of = |bases: Vec<u64>| {
            let bases = bases.iter().map(|&column| src.linear().unflatten_out(column));
            LinearLayout::from_bases([(Dim::OFFSET, bases.collect::<Vec<_>>())], &outs)
        };
        // With the worst of it: conflicts, wavefronts and instructions.
        let cost = |staging: &Staging| {
            let sum = staging.store.cost(src, element_bytes) + staging.load.cost(dst, element_bytes);
            (staging.store.ways > 1 || staging.load.ways > 1, sum)
        };
        let shared = sides[0].shared_vectors(&sides[1], element);
        let room = (ACCESS_BITS - element) as usize - shared.len();
        let longer = (1..=room).flat_map(|count| [(0, count), (1, count)]);
        let mut best: Option<Staging> = None;
        let better = |staging: Staging, best: &mut Option<Staging>| {
            if best.as_ref().is_none_or(|best| cost(&staging) < cost(best)) {
                *best = Some(staging);
            }
        };
        for (wide, count) in std::iter::once((0, 0)).chain(longer) {
            let (own, other) = (&sides[wide], &sides[1 - wide]);
            let more = own.own_vectors(other, &shared, count);
            if more.len() < count {
                continue;
            }
            let layout = layout_of(own.bases(other, &shared, &more, element, size))?;
            let vector = |side: usize| 1 << (shared.len() + if side == wide { count } else { 0 });
            let staging = Staging {
                store: Access::by_vectors(src, &layout, element_bytes, vector(0))?,
                load: Access::by_vectors(dst, &layout, element_bytes, vector(1))?,
                layout,
            };
            better(staging, &mut best);
        }
        // Less than accesses of 16 bytes without conflicts is not to be had.
        let least = [src, dst].map(|side| {
            let words = (side.unique_registers().len() as u32 * element_bytes).div_ceil(1 << WORD_BITS);
            words + (words << WORD_BITS).div_ceil(1 << ACCESS_BITS)
        });
        let least = (false, least[0] + least[1]);
        let have = [matrices.store, matrices.load];
        for wide in [0, 1] {
            if best.as_ref().is_some_and(|best| cost(best) <= least) {
                break;
            }
            for bases in matrix_layouts(&sides, wide, have, element) {
                let layout = layout_of(bases)?;
                let staging = Staging {
                    store: Access::best(src, &layout, element_bytes, matrices.store)?,
                    load: Access::best(dst, &layout, element_bytes, matrices.load)?,
                    layout,
                };
                better(staging, &mut best);
            }
        }
        best.ok_or_else(|| LayoutError::Parameters {
            constructor: "shared",
            message: "no layout between the two".to_owned(),
        })
    }
}

/// The columns of a layout.
pub(super) struct Columns {
    pub registers: Vec<u64>,
    pub threads: Vec<u64>,
    pub num_lane_bits: usize,
}

impl Columns {
    fn new(layout: &DistributedLayout) -> Self {
        let columns = layout.columns();
        let (registers, threads) = columns.split_at(layout.linear().in_bits("register") as usize);
        Columns {
            registers: registers.to_vec(),
            threads: threads.to_vec(),
            num_lane_bits: layout.linear().in_bits("lane") as usize,
        }
    }

    /// What the lanes that are served at once span.
    pub fn lanes(&self, access: u32) -> Vec<u64> {
        independent(&self.threads[..self.num_lane_bits.min(lane_bits(access) as usize)]).to_vec()
    }

    /// Directions that both have in registers, and that no thread index disturbs.
    fn shared_vectors(&self, other: &Columns, element: u32) -> Vec<u64> {
        let threads = [&self.threads[..], &other.threads].concat();
        let mut vectors = extend(&threads, &intersection(&self.registers, &other.registers));
        vectors.truncate((ACCESS_BITS - element) as usize);
        vectors.to_vec()
    }

    /// Up to `count` further directions that this side alone has in registers. Best are those along which the other's
    /// lanes lie, for these then are spread over the words of a vector.
    fn own_vectors(&self, other: &Columns, shared: &[u64], count: usize) -> Vec<u64> {
        let lanes = &other.threads[..other.num_lane_bits];
        let along = intersection(&self.registers, lanes);
        let mut chosen: Vec<u64> = Vec::new();
        for &column in along.iter().chain(&self.registers) {
            if chosen.len() == count {
                break;
            }
            let all = [&self.threads[..], &other.threads, &chosen, &[column]].concat();
            let base = [shared, &self.threads, &chosen].concat();
            if extend(&base, &[column]).len() == 1 && extend(&all, shared).len() == shared.len() {
                chosen.push(column);
            }
        }
        chosen
    }

    /// The coordinates of the offset's bits, where this side has the longer vectors.
    fn bases(&self, other: &Columns, shared: &[u64], more: &[u64], element: u32, size: u32) -> Vec<u64> {
        let vectors = [shared, more].concat();
        let access = vectors.len() as u32 + element;
        let units: Vec<u64> = (0..size).map(|bit| 1 << bit).collect();
        // The rest of the tile, in which this side's threads lie.
        let rest = extend(&vectors, &[&self.threads[..], &other.threads, &units].concat());
        let a = self.lanes(access);
        let within_words = &vectors[..vectors.len().min(WORD_BITS.saturating_sub(element) as usize)];
        let b = other.lanes(shared.len() as u32 + element);
        let b = intersection(&[&b[..], shared, within_words].concat(), &rest);
        let Apart {
            common,
            longer,
            mut rows,
        } = apart(&a, &b);
        rows.extend(extend(&[&vectors[..], &a, &b].concat(), &rest));

        // What the banks do not hold becomes rows, of which the lowest lie within a word if an access is narrower.
        let banks = lane_bits(access) as usize;
        let num_rows = (size as usize - vectors.len()).saturating_sub(banks).min(rows.len());
        let within = (WORD_BITS.saturating_sub(access) as usize).min(num_rows);
        let order = vectors
            .iter()
            .chain(&rows[..within])
            .chain(&rows[num_rows..])
            .chain(&common)
            .chain(&longer);
        order.chain(&rows[within..num_rows]).copied().collect()
    }
}

/// Two spaces, and one that meets neither.
pub(super) struct Apart {
    /// What both have.
    pub common: Vec<u64>,
    /// What the larger one has beyond that.
    pub longer: Vec<u64>,
    /// A space that meets neither, as large as it can be within their sum.
    pub rows: Vec<u64>,
}

/// Pairs what one of two spaces has beyond the other with what that has beyond the first: the sums meet neither.
pub(super) fn apart(a: &[u64], b: &[u64]) -> Apart {
    let common = intersection(a, b).to_vec();
    let (mut longer, mut shorter) = (extend(&common, a), extend(&common, b));
    if longer.len() < shorter.len() {
        std::mem::swap(&mut longer, &mut shorter);
    }
    let rows = longer.iter().zip(&shorter).map(|(a, b)| a ^ b).collect();
    Apart {
        common,
        longer: longer.to_vec(),
        rows,
    }
}
