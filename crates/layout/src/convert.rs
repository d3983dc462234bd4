//! Conversions between distributed layouts: what has to move, and how.

use crate::gf2::Echelon;
use crate::{Dim, DistributedLayout, LaneExchange, LayoutError, LinearLayout, SharedExchange, SharedMemory};

/// The farthest that an element moves in a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Movement {
    /// Nothing moves: the values are the destination's as they are.
    None,
    /// Between registers of a thread.
    Registers,
    /// Between lanes of a warp.
    Lanes,
    /// Between warps of a block.
    Warps,
    /// Between blocks of a cluster.
    Blocks,
}

/// How a conversion is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversionKind {
    /// For each register of the destination the source's register in the same thread; no code where they are the same.
    Registers(Vec<u32>),
    /// Selections in each thread and shuffles.
    Lanes(LaneExchange),
    /// Through shared memory.
    Shared(Box<SharedExchange>),
}

/// What shared memory costs beside its wavefronts: stores have to complete, and loads to arrive, before anything goes on.
/// A latency of about twice 25 cycles, part of which other warps hide.
const SHARED_WAIT: u32 = 16;

/// Where the destination's elements come from.
///
/// For every (register, lane, warp, block) of the destination a linear map says where the source holds its element:
/// `dst` after `src^-1`, chosen so that as much as possible stays where it is. What the map changes decides. From
/// `{register = [1, 2], lane = [4, 8], warp = [16]}`:
///
/// | to register, lane, warp | it changes | conversion |
/// |---|---|---|
/// | 1, 2; 4, 8; 16 | nothing | no code at all |
/// | 2, 1; 4, 8; 16 | the register | moves within each thread |
/// | 1, 4; 2, 8; 16 | the lane | shuffles within each warp |
/// | 1, 16; 4, 8; 2 | the warp | shared memory and a barrier, see [`staging`](crate::staging) |
///
/// What changes the block takes distributed shared memory.
///
/// ```
/// use mytriton_layout::{ConversionPlan, DistributedLayout, Movement};
/// let src: DistributedLayout = "{register = [1, 2], lane = [4, 8], warp = [16]}".parse()?;
/// for (text, movement) in [
///     ("{register = [1, 2], lane = [4, 8], warp = [16]}", Movement::None),
///     ("{register = [2, 1], lane = [4, 8], warp = [16]}", Movement::Registers),
///     ("{register = [1, 4], lane = [2, 8], warp = [16]}", Movement::Lanes),
///     ("{register = [1, 16], lane = [4, 8], warp = [2]}", Movement::Warps),
/// ] {
///     assert_eq!(ConversionPlan::new(&src, &text.parse()?)?.movement(), movement);
/// }
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
///
/// In detail:
///
/// ```
/// use mytriton_layout::{ConversionPlan, DistributedLayout, Movement};
/// let rows: DistributedLayout = "{register = [1, 2], lane = [4, 8]}".parse()?;
/// let swapped: DistributedLayout = "{register = [2, 1], lane = [4, 8]}".parse()?;
/// let plan = ConversionPlan::new(&rows, &swapped)?;
/// assert_eq!(plan.movement(), Movement::Registers);
/// assert_eq!(plan.register_sources(), Some(vec![0, 2, 1, 3]));
/// # Ok::<(), mytriton_layout::LayoutError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionPlan {
    source: LinearLayout,
    movement: Movement,
    unique: Vec<u32>,
    representatives: Vec<u32>,
    sides: Box<(DistributedLayout, DistributedLayout)>,
}

const INS: [Dim; 4] = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK];

impl ConversionPlan {
    /// The plan from `src` to `dst`.
    ///
    /// # Errors
    /// [`SizesDiffer`](LayoutError::SizesDiffer), [`DimsDiffer`](LayoutError::DimsDiffer) unless both are of one tile
    /// and of the same lanes, warps and blocks.
    pub fn new(src: &DistributedLayout, dst: &DistributedLayout) -> Result<Self, LayoutError> {
        for dim in &INS[1..] {
            let (left, right) = (src.linear().in_size(dim.as_str()), dst.linear().in_size(dim.as_str()));
            if left != right {
                return Err(LayoutError::SizesDiffer {
                    dim: dim.clone(),
                    left,
                    right,
                });
            }
        }
        let (left, right): (Vec<_>, Vec<_>) = (src.linear().outs().collect(), dst.linear().outs().collect());
        if left.len() != right.len() {
            let names = |outs: Vec<(&Dim, u32)>| outs.into_iter().map(|(dim, _)| dim.clone()).collect();
            return Err(LayoutError::DimsDiffer {
                left: names(left),
                right: names(right),
            });
        }
        if let Some(((dim, a), (_, b))) = left.iter().zip(&right).find(|(a, b)| a != b) {
            return Err(LayoutError::SizesDiffer {
                dim: (*dim).clone(),
                left: *a,
                right: *b,
            });
        }
        let source = source_map(src, dst)?;
        let movement = classify(&source);
        Ok(ConversionPlan {
            source,
            movement,
            unique: dst.unique_registers(),
            representatives: dst.register_representatives(),
            sides: Box::new((src.clone(), dst.clone())),
        })
    }

    /// The farthest that an element moves.
    pub fn movement(&self) -> Movement {
        self.movement
    }

    /// The map from the destination's (register, lane, warp, block) to the source's.
    pub fn source(&self) -> &LinearLayout {
        &self.source
    }

    /// The destination's registers that have to be filled; the others are copies,
    /// see [`representatives`](Self::representatives).
    pub fn unique_registers(&self) -> &[u32] {
        &self.unique
    }

    /// For each register of the destination the one among [`unique_registers`](Self::unique_registers) with its value.
    pub fn representatives(&self) -> &[u32] {
        &self.representatives
    }

    /// For each register of the destination the source's register in the same thread, where nothing leaves its thread
    /// and all threads do the same.
    pub fn register_sources(&self) -> Option<Vec<u32>> {
        let count = self.source.in_size("register");
        let sources: Vec<u32> = (0..count)
            .map(|register| self.source.apply_in_order(&[register])[0])
            .collect();
        let stays = self.movement <= Movement::Registers;
        (stays && self.source.sublayout_is_zero(&["lane", "warp", "block"], &["register"])).then_some(sources)
    }

    /// How to carry it out for elements of so many bytes, within the shared memory if possible: moves within a thread if
    /// they suffice; else shuffles if elements stay in their warp and
    ///
    /// > shuffles + selections / 2 <= wavefronts of shared memory + 16
    ///
    /// Both run through the same unit, which takes a warp's 32 words each cycle: a shuffle costs what a wavefront does.
    /// Shared memory has each word go through twice, and waits in between.
    ///
    /// # Errors
    /// Elements have 1, 2, 4, 8 or 16 bytes, and stay in their thread block.
    pub fn kind(&self, element_bytes: u32, memory: SharedMemory) -> Result<ConversionKind, LayoutError> {
        if let Some(sources) = self.register_sources() {
            return Ok(ConversionKind::Registers(sources));
        }
        let (src, dst) = &*self.sides;
        let shared = SharedExchange::new(src, dst, element_bytes, memory)?;
        let lanes = match element_bytes {
            1..=8 => LaneExchange::new(src, dst, element_bytes)?,
            _ => None,
        };
        let limit = shared.wavefronts(element_bytes) + SHARED_WAIT;
        Ok(
            match lanes.filter(|lanes| shared.bytes > memory.bytes || lanes.cost() <= limit) {
                Some(lanes) => ConversionKind::Lanes(lanes),
                None => ConversionKind::Shared(Box::new(shared)),
            },
        )
    }
}

/// Solves for the source of every basis of the destination, keeping its own thread where the source allows it.
fn source_map(src: &DistributedLayout, dst: &DistributedLayout) -> Result<LinearLayout, LayoutError> {
    let (from, to) = (src.columns(), dst.columns());
    let bits = |layout: &DistributedLayout| INS.map(|dim| layout.linear().in_bits(dim.as_str()) as usize);
    let (src_bits, dst_bits) = (bits(src), bits(dst));
    let all = Echelon::new(&from);
    let mut bases: [Vec<[u32; 4]>; 4] = Default::default();
    let (mut dst_start, mut src_start) = (0, 0);
    for dim in 0..4 {
        // Only dimensions minor to this one may change while its own bit is kept.
        let minor = Echelon::new(&from[..src_start]);
        for bit in 0..dst_bits[dim] {
            let column = to[dst_start + bit];
            let own = (bit < src_bits[dim]).then(|| (1u64 << (src_start + bit), from[src_start + bit]));
            let kept = own.and_then(|(unit, same)| Some(minor.solve(column ^ same)? | unit));
            // The source is surjective, so there is a solution.
            let place = kept.or_else(|| all.solve(column)).unwrap_or(0);
            let coords = src.linear().unflatten_in(place);
            bases[dim].push([coords[0], coords[1], coords[2], coords[3]]);
        }
        dst_start += dst_bits[dim];
        src_start += src_bits[dim];
    }
    let sizes: Vec<(&str, u32)> = INS
        .iter()
        .map(Dim::as_str)
        .zip(src_bits.map(|bits| 1 << bits))
        .collect();
    LinearLayout::from_bases(INS.into_iter().zip(bases), &sizes)
}

fn classify(source: &LinearLayout) -> Movement {
    // The coordinate of the source in a dimension is the destination's own, whatever the others do.
    let stays = |(axis, dim): (usize, &Dim)| {
        INS.iter().all(|input| {
            let own = |bit| if input == dim { 1u32 << bit } else { 0 };
            source
                .bases(input.as_str())
                .enumerate()
                .all(|(bit, basis)| basis[axis] == own(bit))
        })
    };
    let moved: Vec<bool> = INS.iter().enumerate().map(|dim| !stays(dim)).collect();
    let same_count = source.in_size("register") == source.out_size("register");
    match moved[..] {
        [.., true] => Movement::Blocks,
        [.., true, _] => Movement::Warps,
        [_, true, ..] => Movement::Lanes,
        [false, ..] if same_count => Movement::None,
        _ => Movement::Registers,
    }
}
