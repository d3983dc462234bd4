//! The content of buffers: atomic cells of the width that the buffer was registered with, accessed relaxed. That is as
//! fast as plain memory for accesses of that width, and a race between programs gives one of the values written.
//! Narrower accesses replace a part of a cell, wider ones go over several (and are the only ones that a race can tear).

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use mytriton_ssa::Scalar;

/// An unsigned integer of 1, 2, 4 or 8 bytes and its atomic.
pub(crate) trait Raw: Copy + Eq + 'static {
    type Cell;
    const BYTES: u64;
    /// The cells, if they are of this width.
    fn cells(cells: &Cells) -> Option<&[Self::Cell]>;
    fn get(cell: &Self::Cell) -> Self;
    fn set(cell: &Self::Cell, value: Self);
    fn to_u64(self) -> u64;
    fn from_u64(value: u64) -> Self;
}

/// The atomic cells of a buffer, by width.
#[derive(Debug)]
pub(crate) enum Cells {
    One(Vec<AtomicU8>),
    Two(Vec<AtomicU16>),
    Four(Vec<AtomicU32>),
    Eight(Vec<AtomicU64>),
}

macro_rules! raw {
    ($($raw:ty, $cell:ty, $variant:ident;)*) => {
        $(impl Raw for $raw {
            type Cell = $cell;
            const BYTES: u64 = size_of::<$raw>() as u64;

            fn cells(cells: &Cells) -> Option<&[$cell]> {
                match cells {
                    Cells::$variant(cells) => Some(cells),
                    _ => None,
                }
            }

            #[inline]
            fn get(cell: &$cell) -> $raw {
                cell.load(Relaxed)
            }

            #[inline]
            fn set(cell: &$cell, value: $raw) {
                cell.store(value, Relaxed);
            }

            #[inline]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            #[inline]
            fn from_u64(value: u64) -> $raw {
                value as $raw
            }
        })*
    };
}

raw! {
    u8, AtomicU8, One;
    u16, AtomicU16, Two;
    u32, AtomicU32, Four;
    u64, AtomicU64, Eight;
}

/// Evaluates an expression with `$cells` bound to the vector of cells and `$raw` to their integer type.
macro_rules! each_width {
    ($self:expr, $cells:ident: $raw:ident => $body:expr) => {
        match $self {
            Cells::One($cells) => {
                type $raw = u8;
                $body
            }
            Cells::Two($cells) => {
                type $raw = u16;
                $body
            }
            Cells::Four($cells) => {
                type $raw = u32;
                $body
            }
            Cells::Eight($cells) => {
                type $raw = u64;
                $body
            }
        }
    };
}

impl Cells {
    /// No cells yet, of the width of a type.
    fn of_width(elem: Scalar) -> Cells {
        match elem.bytes() {
            1 => Cells::One(Vec::new()),
            2 => Cells::Two(Vec::new()),
            4 => Cells::Four(Vec::new()),
            _ => Cells::Eight(Vec::new()),
        }
    }

    /// Zeros for a number of bytes; none when there is no memory.
    pub fn zeros(elem: Scalar, bytes: u64) -> Option<Cells> {
        let mut all = Cells::of_width(elem);
        each_width!(&mut all, cells: R => {
            let count = usize::try_from(bytes.div_ceil(R::BYTES)).ok()?;
            cells.try_reserve_exact(count).ok()?;
            cells.resize_with(count, Default::default);
        });
        Some(all)
    }

    pub fn from_bytes(elem: Scalar, bytes: &[u8]) -> Option<Cells> {
        let mut all = Cells::of_width(elem);
        each_width!(&mut all, cells: R => {
            const WIDTH: usize = size_of::<R>();
            cells.try_reserve_exact(bytes.len().div_ceil(WIDTH)).ok()?;
            let (whole, rest) = bytes.as_chunks::<WIDTH>();
            cells.extend(whole.iter().map(|&bytes| R::from_le_bytes(bytes).into()));
            if !rest.is_empty() {
                let mut last = [0; WIDTH];
                last[..rest.len()].copy_from_slice(rest);
                cells.push(R::from_le_bytes(last).into());
            }
        });
        Some(all)
    }

    /// Bytes of one cell.
    fn width(&self) -> usize {
        each_width!(self, _cells: R => size_of::<R>())
    }

    /// Cell number `index`.
    fn get(&self, index: usize) -> u64 {
        each_width!(self, cells: R => R::get(&cells[index]).to_u64())
    }

    /// Puts the bits of `mask` in cell number `index` to those of `value`.
    fn set(&self, index: usize, mask: u64, value: u64) {
        each_width!(self, cells: R => {
            let (cell, mask, value) = (&cells[index], mask as R, value as R);
            if mask == R::MAX {
                R::set(cell, value);
            } else {
                let merge = |old| Some(old & !mask | value & mask);
                // It never gives up, since `merge` always has a new value.
                let _ = cell.fetch_update(Relaxed, Relaxed, merge);
            }
        });
    }

    /// Reads `bytes` (1, 2, 4 or 8) bytes at an offset that is a multiple of it and within the buffer.
    pub fn load(&self, offset: usize, bytes: usize) -> u64 {
        let width = self.width();
        if bytes <= width {
            let bits = self.get(offset / width) >> (offset % width * 8);
            return bits & low_bytes(bytes);
        }
        (0..bytes / width).fold(0, |all, i| all | self.get(offset / width + i) << (i * width * 8))
    }

    /// Writes the low `bytes` (1, 2, 4 or 8) bytes of `value`, as [`Cells::load`] reads them.
    pub fn store(&self, offset: usize, bytes: usize, value: u64) {
        let width = self.width();
        if bytes <= width {
            let shift = offset % width * 8;
            self.set(offset / width, low_bytes(bytes) << shift, value << shift);
        } else {
            for i in 0..bytes / width {
                self.set(offset / width + i, low_bytes(width), value >> (i * width * 8));
            }
        }
    }

    pub fn copy_out(&self, offset: usize, out: &mut [u8]) {
        each_width!(self, cells: R => {
            const WIDTH: usize = size_of::<R>();
            let (head, rest) = out.split_at_mut(head_of(offset, out.len(), WIDTH));
            let (whole, tail) = rest.as_chunks_mut::<WIDTH>();
            let first = (offset + head.len()) / WIDTH;
            let end = (first + whole.len()) * WIDTH;
            for (out, cell) in whole.iter_mut().zip(&cells[first.min(cells.len())..]) {
                *out = R::get(cell).to_le_bytes();
            }
            for (i, out) in head.iter_mut().enumerate() {
                *out = self.load(offset + i, 1) as u8;
            }
            for (i, out) in tail.iter_mut().enumerate() {
                *out = self.load(end + i, 1) as u8;
            }
        });
    }

    pub fn copy_in(&self, offset: usize, bytes: &[u8]) {
        each_width!(self, cells: R => {
            const WIDTH: usize = size_of::<R>();
            let (head, rest) = bytes.split_at(head_of(offset, bytes.len(), WIDTH));
            let (whole, tail) = rest.as_chunks::<WIDTH>();
            let first = (offset + head.len()) / WIDTH;
            let end = (first + whole.len()) * WIDTH;
            for (&bytes, cell) in whole.iter().zip(&cells[first.min(cells.len())..]) {
                R::set(cell, R::from_le_bytes(bytes));
            }
            for (i, &byte) in head.iter().enumerate() {
                self.store(offset + i, 1, u64::from(byte));
            }
            for (i, &byte) in tail.iter().enumerate() {
                self.store(end + i, 1, u64::from(byte));
            }
        });
    }
}

/// How many of `len` bytes from `offset` on come before the first whole cell.
fn head_of(offset: usize, len: usize, width: usize) -> usize {
    (offset.next_multiple_of(width) - offset).min(len)
}

/// The mask of the low 1 to 8 bytes.
fn low_bytes(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that accesses of the type are fast.
    #[test]
    fn cells_are_as_wide_as_the_type() {
        for elem in Scalar::ALL {
            let bytes = elem.bytes() as usize;
            for cells in [Cells::zeros(elem, 16), Cells::from_bytes(elem, &[0; 16])] {
                assert_eq!(cells.map(|cells| cells.width()), Some(bytes), "{elem}");
            }
        }
    }
}
