//! Conversions within warps, by shuffles: which words lanes send to one another, and the selections around them.

use crate::gf2::{Echelon, combine, extend, independent};
use crate::{DistributedLayout, LayoutError};
use smallvec::SmallVec;

/// A word takes the place of another in some threads: `words[w] = p ? words[w ^ flip] : words[w]` for all `w` at once,
/// where `p` is the parity of the bits of `lane & lanes` and `warp & warps`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectStep {
    /// What is flipped of a word's number.
    pub flip: u32,
    /// Bits of the lane that decide.
    pub lanes: u32,
    /// Bits of the warp that decide.
    pub warps: u32,
}

/// What a lane sends and gets for one of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The word of the source that every lane offers.
    pub send: u32,
    /// What is flipped, for this word, of the number of the lane that words come from:
    /// [`LaneExchange::source_lane_bases`].
    pub flip: u32,
}

/// A conversion in which every element stays in its warp: registers are packed into words, words selected, shuffled,
/// selected again and taken apart.
///
/// Let R be what one thread of the source has in its registers, and R' of the destination: spaces of coordinates. A
/// shuffle serves all lanes at once, and a lane offers but one word. So the elements that one shuffle delivers, one to
/// each lane of the destination, must be a space that meets neither R nor R' (else a lane had to offer two, or get
/// two). It is found lane bit by lane bit: the bit's own coordinate if that is independent of what the source's registers
/// and the bits before it reach, else that plus a coordinate of R'. One shuffle for each word of the destination
/// remains, fewer where lanes keep their place. Which register a lane offers and gets then depends on the lane,
/// linearly: the selections.
///
/// For `register = [1], lane = [2]` to `register = [2], lane = [1]`, a transposition of 2x2:
///
/// | | lane 0 | lane 1 |
/// |---|---|---|
/// | holds | 0, 1 | 2, 3 |
/// | before: registers swapped in lane 1 | 0, 1 | 3, 2 |
/// | word 0 stays, word 1 from the other lane | 0, 2 | 3, 1 |
/// | after: swapped in lane 1 | 0, 2 | 1, 3 |
///
/// ```
/// use mytriton_layout::{DistributedLayout, LaneExchange};
/// let rows: DistributedLayout = "{register = [1], lane = [2]}".parse()?;
/// let columns: DistributedLayout = "{register = [2], lane = [1]}".parse()?;
/// let exchange = LaneExchange::new(&rows, &columns, 4)?.unwrap();
/// assert_eq!((exchange.num_shuffles(), exchange.num_selects()), (1, 4));
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneExchange {
    /// The registers of the source that make up each word, lowest part first; registers with the same element once.
    pub words: Vec<Vec<u32>>,
    /// Selections among the source's words.
    pub before: Vec<SelectStep>,
    /// For each word of the destination.
    pub transfers: Vec<Transfer>,
    /// What each bit of the lane adds, by xor, to the number of the lane that words come from.
    lane_columns: SmallVec<[u32; 8]>,
    /// What each bit of the warp adds to it.
    warp_columns: SmallVec<[u32; 8]>,
    /// Selections among the destination's words.
    pub after: Vec<SelectStep>,
    /// For each register of the destination its word, and the part of it.
    pub places: Vec<(u32, u32)>,
    /// 32-bit words that one word here takes: 2 for elements of 8 bytes.
    pub width: u32,
}

/// A register and lane of the source, or a difference of two.
#[derive(Clone, Copy, Default)]
struct RegisterLane {
    register: u64,
    lane: u64,
}

impl RegisterLane {
    fn xor(self, other: RegisterLane) -> RegisterLane {
        RegisterLane {
            register: self.register ^ other.register,
            lane: self.lane ^ other.lane,
        }
    }
}

/// The distinct registers and the lanes of a layout: what one warp holds.
struct Side {
    /// Numbers of the registers' bits that are not free, as masks.
    units: Vec<u64>,
    registers: Vec<u64>,
    lanes: Vec<u64>,
    warps: Vec<u64>,
}

impl Side {
    fn new(layout: &DistributedLayout) -> Self {
        let columns = layout.columns();
        let bits = |dim| layout.linear().in_bits(dim) as usize;
        let (registers, rest) = columns.split_at(bits("register"));
        let (lanes, rest) = rest.split_at(bits("lane"));
        let free = layout.register_free_mask();
        let kept = (0..registers.len()).filter(|bit| free >> bit & 1 == 0);
        Side {
            units: kept.clone().map(|bit| 1 << bit).collect(),
            registers: kept.map(|bit| registers[bit]).collect(),
            lanes: lanes.to_vec(),
            warps: rest[..bits("warp")].to_vec(),
        }
    }

    fn of_warp(&self) -> Echelon {
        Echelon::new(&[&self.registers[..], &self.lanes].concat())
    }

    /// Splits a solution over registers and lanes.
    fn place(&self, solution: u64) -> RegisterLane {
        RegisterLane {
            register: combine(&self.units, solution & ((1 << self.units.len()) - 1)),
            lane: solution >> self.units.len(),
        }
    }
}

/// What a shuffle delivers to the lanes: for each bit of the lane the register into which, and the place from which.
struct Rows {
    into: Vec<u64>,
    from: Vec<RegisterLane>,
}

impl LaneExchange {
    /// The exchange for elements of so many bytes. `None` where elements change their warp, or where those that a warp needs
    /// lie in so few of its lanes that these had to offer several at once.
    ///
    /// # Errors
    /// As [`ConversionPlan::new`](crate::ConversionPlan::new); elements have 1, 2, 4 or 8 bytes.
    pub fn new(
        src: &DistributedLayout,
        dst: &DistributedLayout,
        element_bytes: u32,
    ) -> Result<Option<Self>, LayoutError> {
        let plan = crate::ConversionPlan::new(src, dst)?;
        if !element_bytes.is_power_of_two() || element_bytes > 8 {
            return Err(LayoutError::Parameters {
                constructor: "shuffled",
                message: format!("elements of {element_bytes} bytes: 1, 2, 4 or 8 are possible"),
            });
        }
        Ok(match plan.movement() <= crate::Movement::Lanes {
            true => Self::within_warps(src, dst, element_bytes),
            false => None,
        })
    }

    fn within_warps(src: &DistributedLayout, dst: &DistributedLayout, element_bytes: u32) -> Option<Self> {
        let (from, to) = (Side::new(src), Side::new(dst));
        let held = from.of_warp();
        let rows = [same_lanes(&from, &to), any_lanes(&from, &to, &held)]
            .into_iter()
            .flatten();
        let exchanges = rows.filter_map(|rows| Self::with_rows(dst, [&from, &to], &held, rows, element_bytes));
        exchanges.min_by_key(Self::cost)
    }

    fn with_rows(
        dst: &DistributedLayout,
        [from, to]: [&Side; 2],
        held: &Echelon,
        rows: Rows,
        element_bytes: u32,
    ) -> Option<Self> {
        let place = |column: u64| held.solve(column).map(|solution| from.place(solution));
        let of_registers: Vec<RegisterLane> = to.registers.iter().map(|&c| place(c)).collect::<Option<_>>()?;
        let of_warps: Vec<RegisterLane> = to
            .warps
            .iter()
            .zip(&from.warps)
            .map(|(a, b)| place(a ^ b))
            .collect::<Option<_>>()?;

        // The register that a lane offers, beside what the word asks for: linear in the lane. Lanes that nobody asks may
        // offer anything.
        let lane_bits = from.lanes.len();
        let mut asked = Echelon::default();
        let mut offers: Vec<u64> = Vec::new();
        let units = (0..lane_bits).map(|bit| RegisterLane {
            register: 0,
            lane: 1 << bit,
        });
        for place in rows.from.iter().copied().chain(units) {
            if asked.insert(place.lane, offers.len()) {
                offers.push(place.register);
            }
        }
        let offered = |lane: u64| asked.solve(lane).map_or(0, |used| combine(&offers, used));
        let sends: Vec<u64> = of_registers.iter().map(|p| p.register ^ offered(p.lane)).collect();
        let lane_offers: Vec<u64> = (0..lane_bits).map(|bit| offered(1 << bit)).collect();
        let warp_offers: Vec<u64> = of_warps.iter().map(|p| p.register ^ offered(p.lane)).collect();
        let flips: Vec<u64> = of_registers.iter().map(|p| p.lane).collect();

        // In what follows registers of the destination are numbered by `to.units`.
        let into: Vec<u64> = rows.into;
        let selected: Vec<u64> = into.iter().map(|&register| combine(&sends, register)).collect();
        let apart = independent(&[&lane_offers[..], &warp_offers, &selected].concat());
        let packed = packed_registers(&flips, &sends, &apart, element_bytes);
        let packed_sends: Vec<u64> = packed.iter().map(|&register| combine(&sends, register)).collect();
        let taken = [&packed_sends[..], &apart].concat();
        let src_words: Vec<u64> = apart.iter().copied().chain(extend(&taken, &from.units)).collect();
        let src_basis = Echelon::new(&[&packed_sends[..], &src_words].concat());
        let src_word = |register: u64| src_basis.solve(register).map(|used| used >> packed.len());
        // Words of the destination are those whose parts are sent in their order.
        let straight = (0..to.units.len()).map(|bit| {
            let parts = src_basis.solve(sends[bit])? & ((1 << packed.len()) - 1);
            Some(1 << bit ^ combine(&packed, parts))
        });
        let dst_words = independent(&straight.collect::<Option<Vec<u64>>>()?);
        let dst_basis = Echelon::new(&[&packed[..], &dst_words].concat());
        let dst_word = |register: u64| dst_basis.solve(register).map(|used| used >> packed.len());

        let parts = 1u64 << packed.len();
        let words = (0..1u64 << src_words.len()).map(|word| {
            let first = combine(&src_words, word);
            let part = |part| (first ^ combine(&packed_sends, part)) as u32;
            (0..parts).map(part).collect()
        });
        let transfers = (0..1u64 << dst_words.len()).map(|word| {
            let register = combine(&dst_words, word);
            Some(Transfer {
                send: src_word(combine(&sends, register))? as u32,
                flip: combine(&flips, register) as u32,
            })
        });
        let places = dst.register_representatives().into_iter().map(|register| {
            let bits = to.units.iter().zip(0..);
            let number = bits.map(|(unit, bit)| u64::from(u64::from(register) & unit != 0) << bit);
            let used = dst_basis.solve(number.sum())?;
            Some(((used >> packed.len()) as u32, (used & (parts - 1)) as u32))
        });
        let mut exchange = LaneExchange {
            words: words.collect(),
            before: steps(&lane_offers, &warp_offers, src_word)?,
            transfers: transfers.collect::<Option<_>>()?,
            lane_columns: rows.from.iter().map(|place| place.lane as u32).collect(),
            warp_columns: of_warps.iter().map(|place| place.lane as u32).collect(),
            after: steps(&into, &[], dst_word)?,
            places: places.collect::<Option<_>>()?,
            width: element_bytes.div_ceil(4),
        };
        exchange.before.sort_by_key(|step| step.flip);
        exchange.after.sort_by_key(|step| step.flip);
        Some(exchange)
    }

    /// Whether words come from the lane itself, but for [`Transfer::flip`]: those with no flip stay where they are.
    pub fn keeps_lanes(&self) -> bool {
        let own = self
            .lane_columns
            .iter()
            .zip(0..)
            .all(|(&column, bit)| column == 1 << bit);
        own && self.warp_columns.iter().all(|&column| column == 0)
    }

    /// The lane that words come from, but for [`Transfer::flip`]: what each bit of the lane, and of the warp, adds to its
    /// number by xor.
    pub fn source_lane_bases(&self) -> [&[u32]; 2] {
        [&self.lane_columns, &self.warp_columns]
    }

    /// Shuffles of 32-bit words that a thread takes part in.
    pub fn num_shuffles(&self) -> u32 {
        let keeps = self.keeps_lanes();
        let moved = self.transfers.iter().filter(|transfer| !keeps || transfer.flip != 0);
        moved.count() as u32 * self.width
    }

    /// The time it takes, in shuffles.
    pub fn cost(&self) -> u32 {
        self.num_shuffles() + self.num_selects() / SELECTS_PER_SHUFFLE
    }

    /// Selections between two 32-bit words. Words that are not sent are not selected either.
    pub fn num_selects(&self) -> u32 {
        let mut needed: Vec<u32> = self.transfers.iter().map(|transfer| transfer.send).collect();
        let mut count = self.after.len() * self.transfers.len();
        for step in self.before.iter().rev() {
            needed.sort_unstable();
            needed.dedup();
            count += needed.len();
            needed.extend(needed.clone().into_iter().map(|word| word ^ step.flip));
        }
        count as u32 * self.width
    }
}

/// Selections that take as long as a shuffle: a multiprocessor shuffles 32 words in a cycle and selects 64 (CUDA C++
/// Programming Guide, "Throughput of Native Arithmetic Instructions").
const SELECTS_PER_SHUFFLE: u32 = 2;

/// Every lane offers what it keeps: possible where bits of the lane differ by registers alone.
fn same_lanes(from: &Side, to: &Side) -> Option<Rows> {
    let registers = Echelon::new(&[&to.registers[..], &from.registers].concat());
    let (mut into, mut places) = (Vec::new(), Vec::new());
    for (bit, (a, b)) in to.lanes.iter().zip(&from.lanes).enumerate() {
        let used = registers.solve(a ^ b)?;
        into.push(used & ((1 << to.registers.len()) - 1));
        places.push(RegisterLane {
            register: combine(&from.units, used >> to.registers.len()),
            lane: 1 << bit,
        });
    }
    Some(Rows { into, from: places })
}

/// Any permutation of the lanes.
fn any_lanes(from: &Side, to: &Side, held: &Echelon) -> Option<Rows> {
    let place = |column: u64| held.solve(column).map(|solution| from.place(solution));
    // Lanes of the source with the same elements: differences of places, none for a lane bit that is not free.
    let copies = from.lanes.iter().enumerate().filter_map(|(bit, &column)| {
        let own = RegisterLane {
            register: 0,
            lane: 1 << bit,
        };
        place(column).map(|other| own.xor(other))
    });
    let copies: Vec<RegisterLane> = std::iter::once(RegisterLane::default()).chain(copies).collect();
    let free = to.of_warp().free() >> to.registers.len();
    let mut rows: Vec<Option<(u64, RegisterLane)>> = vec![None; to.lanes.len()];
    let mut asked = Echelon::default();
    let registers: Vec<u64> = (0..to.registers.len()).map(|bit| 1 << bit).collect();
    for into in [&[0][..], &registers] {
        for bit in (0..to.lanes.len()).filter(|bit| free >> bit & 1 == 0) {
            if rows[bit].is_some() {
                continue;
            }
            let own = place(to.lanes[bit])?;
            let choices = into
                .iter()
                .flat_map(|&into| copies.iter().map(move |copy| (into, *copy)));
            for (into, copy) in choices {
                let from = own.xor(place(combine(&to.registers, into))?).xor(copy);
                if asked.add(from.lane) {
                    rows[bit] = Some((into, from));
                    break;
                }
            }
        }
    }
    // Lanes of the destination that repeat what others get, get it from where those do.
    let chosen: Vec<(u64, RegisterLane)> = rows.iter().flatten().copied().collect();
    let delivered = chosen
        .iter()
        .zip((0..to.lanes.len()).filter(|bit| rows[*bit].is_some()));
    let delivered: Vec<u64> = delivered
        .map(|((into, _), bit)| to.lanes[bit] ^ combine(&to.registers, *into))
        .collect();
    let all = Echelon::new(&[&to.registers[..], &delivered].concat());
    let count = to.registers.len();
    for bit in (0..to.lanes.len()).filter(|bit| free >> bit & 1 != 0) {
        let used = all.solve(to.lanes[bit])?;
        let same = chosen.iter().zip(0..).filter(|(_, i)| used >> (count + i) & 1 != 0);
        let from = same.fold(RegisterLane::default(), |from, ((_, place), _)| from.xor(*place));
        rows[bit] = Some((used & ((1 << count) - 1), from));
    }
    let (into, from) = rows.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some(Rows { into, from })
}

/// Registers of the destination that come in one word, a basis: they come from one lane, and no selection tells them
/// apart.
fn packed_registers(flips: &[u64], sends: &[u64], apart: &[u64], element_bytes: u32) -> Vec<u64> {
    let lanes = Echelon::new(flips);
    // A bit that is not free is its own solution, which leaves 0: a register that is known already.
    let together = (0..flips.len()).filter_map(|bit| Some(1 << bit ^ lanes.solve(flips[bit])?));
    let mut known = Echelon::default();
    for &column in apart {
        known.add(column);
    }
    let fits = together.filter(|&register: &u64| known.add(combine(sends, register)));
    fits.take((4 / element_bytes).checked_ilog2().unwrap_or(0) as usize)
        .collect()
}

/// The selections of a word `w ^ offset`, where the offset is linear in the lane and the warp.
fn steps(lanes: &[u64], warps: &[u64], word: impl Fn(u64) -> Option<u64>) -> Option<Vec<SelectStep>> {
    let mut offsets = Echelon::default();
    let mut steps: Vec<SelectStep> = Vec::new();
    for (input, &column) in lanes.iter().chain(warps).enumerate() {
        if offsets.insert(column, steps.len()) {
            steps.push(SelectStep {
                flip: word(column)? as u32,
                lanes: 0,
                warps: 0,
            });
        }
        let used = offsets.solve(column)?;
        for (step, _) in steps.iter_mut().zip(0..).filter(|(_, i)| used >> i & 1 != 0) {
            match input.checked_sub(lanes.len()) {
                None => step.lanes |= 1 << input,
                Some(warp) => step.warps |= 1 << warp,
            }
        }
    }
    Some(steps)
}
