//! `#tile.layout`.

use crate::ffi;
use melior::ir::{Attribute, AttributeLike, Location};
use std::{fmt, slice};

/// The hardware indices that a layout maps from, in the order in which the assembly names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayoutIndex {
    /// A slot of one thread's share of a tile.
    Register = 0,
    /// A thread within its warp: 5 bits.
    Lane = 1,
    /// A warp within its thread block.
    Warp = 2,
    /// A thread block within its cluster.
    Block = 3,
}

impl LayoutIndex {
    /// All four, in order.
    pub const ALL: [LayoutIndex; 4] = [Self::Register, Self::Lane, Self::Warp, Self::Block];

    /// The name in the assembly, which is the name of the input dimension in `mytriton-layout`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Lane => "lane",
            Self::Warp => "warp",
            Self::Block => "block",
        }
    }
}

impl fmt::Display for LayoutIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The bases of a `#tile.layout` that is to be made: for each index one basis after another, `rank` coordinates each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutBases<'a> {
    /// Coordinates of a basis: 1 to 5.
    pub rank: usize,
    /// The flattened bases of register, lane, warp and block.
    pub bases: [&'a [i32]; 4],
}

/// A `#tile.layout`, or `None` if the bases make no layout: `lane` needs 5 of them, each has `rank` coordinates, none
/// negative. A diagnostic at `location` then says what is wrong. Whether a layout fits a tile is checked when a tensor
/// type is made with it.
pub fn layout_attribute<'c>(location: Location<'c>, layout: LayoutBases<'_>) -> Option<Attribute<'c>> {
    let LayoutBases { rank, bases } = layout;
    let whole = |flat: &&[i32]| flat.is_empty() || (rank != 0 && flat.len().is_multiple_of(rank));
    if !bases.iter().all(whole) {
        emit_error(
            location,
            &format!("each basis of a layout of rank {rank} needs {rank} coordinates"),
        );
        return None;
    }
    let counts = bases.map(|flat| flat.len().checked_div(rank).unwrap_or(0));
    let pointers = bases.map(<[i32]>::as_ptr);
    // SAFETY: the location is live; both arrays have four elements, and each pointer leads to `counts[i] * rank`
    // coordinates, which the callee copies.
    unsafe {
        Attribute::from_option_raw(ffi::mytritonTileLayoutAttrGetChecked(
            location.to_raw(),
            rank,
            counts.as_ptr(),
            pointers.as_ptr(),
        ))
    }
}

/// Reports an error at a location, to the diagnostic handlers of its context.
pub fn emit_error(location: Location<'_>, message: &str) {
    let message = std::ffi::CString::new(message).unwrap_or_default();
    // SAFETY: the location is live and the message is terminated.
    unsafe { mlir_sys::mlirEmitError(location.to_raw(), message.as_ptr()) }
}

/// A `#tile.layout`, to be read.
#[derive(Clone, Copy, Debug)]
pub struct LayoutRef<'c> {
    attribute: Attribute<'c>,
}

impl<'c> LayoutRef<'c> {
    /// The layout that an attribute is; `None` for any other attribute.
    pub fn new(attribute: Attribute<'c>) -> Option<Self> {
        // SAFETY: the attribute is live.
        unsafe { ffi::mytritonAttributeIsATileLayout(attribute.to_raw()) }.then_some(Self { attribute })
    }

    /// The attribute that it is.
    pub fn attribute(self) -> Attribute<'c> {
        self.attribute
    }

    /// Coordinates of a basis: the rank of the tensors that it fits.
    pub fn rank(self) -> usize {
        // SAFETY: `new` checked that the attribute is a layout.
        unsafe { ffi::mytritonTileLayoutAttrGetRank(self.attribute.to_raw()) }
    }

    /// How many bases an index has: its size is 2 to this power.
    pub fn num_bases(self, index: LayoutIndex) -> usize {
        // SAFETY: `new` checked that the attribute is a layout, and the index is one of the four.
        unsafe { ffi::mytritonTileLayoutAttrGetNumBases(self.attribute.to_raw(), index as u32) }
    }

    /// The bases of an index, from its lowest bit up, `rank` coordinates each.
    pub fn bases(self, index: LayoutIndex) -> slice::ChunksExact<'c, i32> {
        self.flat_bases(index).chunks_exact(self.rank())
    }

    /// The coordinates of the bases of an index, one basis after another.
    pub fn flat_bases(self, index: LayoutIndex) -> &'c [i32] {
        let length = self.num_bases(index) * self.rank();
        if length == 0 {
            return &[];
        }
        // SAFETY: `new` checked that the attribute is a layout. Attributes are immutable and their storage lives as
        // long as their context, which `'c` does not outlive; the storage has `length` coordinates.
        unsafe {
            slice::from_raw_parts(
                ffi::mytritonTileLayoutAttrGetBases(self.attribute.to_raw(), index as u32),
                length,
            )
        }
    }
}
