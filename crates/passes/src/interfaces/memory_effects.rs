//! What an operation reads and writes.
//!
//! That it does, its ODS definition states, and MLIR's memory effect interface tells; where, its operands say. An operation
//! whose effects are not known, or that states one where nothing is known of, is taken to touch all memory.

use melior::ir::{OperationRef, Value};
use mytriton_tile::ops::TileOp;
use mytriton_tile_sys::{Effect, EffectKind, Resource, memory_effects};

/// A read or write.
pub struct MemoryAccess<'c, 'a> {
    /// Whether it writes.
    pub writes: bool,
    /// What it touches.
    pub location: AccessLocation<'c, 'a>,
}

/// What an access touches.
#[derive(Clone, Copy)]
pub enum AccessLocation<'c, 'a> {
    /// Global memory, at the addresses of a pointer or of a tile of pointers.
    Pointers(Value<'c, 'a>),
    /// All of a tile in shared memory.
    Buffer {
        /// The buffer.
        buffer: Value<'c, 'a>,
        /// The tile in registers.
        tile: Value<'c, 'a>,
    },
    /// Any memory.
    Anywhere,
}

/// The accesses of an operation without control flow, in order.
pub fn accesses_of<'c: 'a, 'a>(op: OperationRef<'c, 'a>) -> Vec<MemoryAccess<'c, 'a>> {
    let anywhere = |writes| MemoryAccess {
        writes,
        location: AccessLocation::Anywhere,
    };
    let Some(effects) = memory_effects(op) else {
        return vec![anywhere(false), anywhere(true)];
    };
    let touched = TileOp::cast(op).map_or(Touched::Unknown, touched_by);
    let access = |effect: Effect| {
        let writes = match effect.kind {
            EffectKind::Read => false,
            EffectKind::Write => true,
            EffectKind::Allocate | EffectKind::Free => return None,
        };
        let location = match (effect.resource, touched) {
            (_, Touched::Nothing) => return None,
            (Resource::Global, Touched::At(location @ AccessLocation::Pointers(_)))
            | (Resource::Shared, Touched::At(location @ AccessLocation::Buffer { .. })) => location,
            (Resource::Global | Resource::Shared | Resource::Other, Touched::At(_) | Touched::Unknown) => {
                AccessLocation::Anywhere
            }
        };
        Some(MemoryAccess { writes, location })
    };
    effects.into_iter().filter_map(access).collect()
}

/// Where the reads and writes go that an operation states.
#[derive(Clone, Copy)]
enum Touched<'c, 'a> {
    At(AccessLocation<'c, 'a>),
    /// To a buffer whose first contents are left open.
    Nothing,
    /// It states none, or none whose place is known.
    Unknown,
}

fn touched_by<'c: 'a, 'a>(op: TileOp<'c, 'a>) -> Touched<'c, 'a> {
    let buffer = |buffer, tile| Touched::At(AccessLocation::Buffer { buffer, tile });
    match op {
        TileOp::Load(load) => Touched::At(AccessLocation::Pointers(load.pointer())),
        TileOp::Store(store) => Touched::At(AccessLocation::Pointers(store.pointer())),
        TileOp::Alloc(alloc) => match alloc.init() {
            Some(init) => buffer(alloc.result(), init),
            None => Touched::Nothing,
        },
        TileOp::LocalLoad(load) => buffer(load.buffer(), load.result()),
        TileOp::LocalStore(store) => buffer(store.buffer(), store.source()),
        TileOp::Dealloc(_)
        | TileOp::ConvertLayout(_)
        | TileOp::Reshape(_)
        | TileOp::Transpose(_)
        | TileOp::Join(_)
        | TileOp::Split(_)
        | TileOp::Gather(_)
        | TileOp::Histogram(_)
        | TileOp::Reduce(_)
        | TileOp::Scan(_)
        | TileOp::Yield(_)
        | TileOp::ProgramId(_)
        | TileOp::NumPrograms(_)
        | TileOp::Range(_)
        | TileOp::Splat(_)
        | TileOp::ExpandDims(_)
        | TileOp::Broadcast(_)
        | TileOp::AddPtr(_)
        | TileOp::PtrToInt(_)
        | TileOp::Shl(_)
        | TileOp::ShrS(_)
        | TileOp::ShrU(_)
        | TileOp::DivS(_)
        | TileOp::DivU(_)
        | TileOp::RemS(_)
        | TileOp::RemU(_)
        | TileOp::UnaryFunction(_)
        | TileOp::BinaryFunction(_)
        | TileOp::FpToSi(_)
        | TileOp::FpToUi(_) => Touched::Unknown,
    }
}
