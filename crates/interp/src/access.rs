//! Loads and stores of tiles.

use std::cell::RefCell;

use crate::cells::{Cells, Raw};
use crate::memory::{Buffer, Memory};
use crate::races::{Conflict, Shadow};
use crate::tile::{Element, Tile};

/// A fault before names and places are put to it.
#[derive(Debug)]
pub(crate) enum RawFault {
    OutOfBounds { address: u64, buffer: BufferBounds },
    NoBuffer { address: u64 },
    Misaligned { address: u64, buffer: BufferBounds },
    Undefined { role: &'static str, code: u32 },
    Race { address: u64, conflict: Conflict },
    Step(i64),
    StepLimit(u64),
}

/// Where a buffer lies.
#[derive(Clone, Debug)]
pub(crate) struct BufferBounds {
    pub name: String,
    pub base: u64,
    pub len: u64,
}

impl BufferBounds {
    pub fn of(buffer: &Buffer) -> BufferBounds {
        BufferBounds {
            name: buffer.name.clone(),
            base: buffer.base,
            len: buffer.len,
        }
    }
}

/// The number of the element and what happened to it.
pub(crate) type Faulty = (usize, RawFault);

/// What accesses go to and through.
#[derive(Clone, Copy)]
pub(crate) struct Accessor<'a> {
    pub memory: &'a Memory,
    /// The check of races between programs and this program's number, if they are looked for.
    pub races: Option<(&'a RefCell<Shadow>, u64)>,
}

/// Follows the addresses of a tile, most of which fall in one buffer.
struct Cursor<'a, R: Raw> {
    memory: &'a Memory,
    base: u64,
    len: u64,
    /// The buffer's cells, if they are of this width.
    cells: &'a [R::Cell],
    /// The buffer's cells, if they are of another width.
    other: Option<&'a Cells>,
}

impl<'a, R: Raw> Cursor<'a, R> {
    fn new(memory: &'a Memory) -> Cursor<'a, R> {
        Cursor {
            memory,
            base: 0,
            len: 0,
            cells: &[],
            other: None,
        }
    }

    /// The offset in bytes of a whole, aligned element at the address in the buffer that is now the current one.
    #[inline]
    fn seek(&mut self, address: u64) -> Result<u64, RawFault> {
        let aligned = self.whole(address).filter(|offset| offset.is_multiple_of(R::BYTES));
        aligned.map_or_else(|| self.seek_slow(address), Ok)
    }

    /// The offset of an element that lies within the current buffer.
    fn whole(&self, address: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        self.len.checked_sub(offset).filter(|&rest| rest >= R::BYTES)?;
        Some(offset)
    }

    #[cold]
    fn seek_slow(&mut self, address: u64) -> Result<u64, RawFault> {
        let Some(buffer) = self.memory.find(address) else {
            return Err(RawFault::NoBuffer { address });
        };
        (self.base, self.len) = (buffer.base, buffer.len);
        match R::cells(&buffer.cells) {
            Some(cells) => (self.cells, self.other) = (cells, None),
            None => (self.cells, self.other) = (&[], Some(&buffer.cells)),
        }
        let bounds = || BufferBounds::of(buffer);
        match self.whole(address) {
            None => Err(RawFault::OutOfBounds {
                address,
                buffer: bounds(),
            }),
            Some(offset) if !offset.is_multiple_of(R::BYTES) => Err(RawFault::Misaligned {
                address,
                buffer: bounds(),
            }),
            Some(offset) => Ok(offset),
        }
    }

    /// The cells at these addresses, if all of them are accessed and follow on one another in one buffer.
    fn run(&mut self, addresses: &[i64], masks: Option<&[bool]>) -> Option<&'a [R::Cell]> {
        let (first, last) = (*addresses.first()?, *addresses.last()?);
        let strays = |(i, &address): (i64, &i64)| address ^ first.wrapping_add(i * R::BYTES as i64);
        // Without early exits, so that it is done several elements at a time.
        let follow = (0..).zip(addresses).fold(0, |all, next| all | strays(next)) == 0;
        if !follow || masks.is_some_and(|masks| masks.contains(&false)) {
            return None;
        }
        let start = (self.seek(first as u64).ok()? / R::BYTES) as usize;
        // The buffer's last cell may reach beyond its end.
        self.seek(last as u64).ok()?;
        self.cells.get(start..start + addresses.len())
    }

    /// Reads at an offset that was sought.
    #[inline]
    fn get(&self, offset: u64) -> R {
        match self.other {
            None => R::get(&self.cells[(offset / R::BYTES) as usize]),
            Some(cells) => R::from_u64(cells.load(offset as usize, R::BYTES as usize)),
        }
    }

    /// Writes at an offset that was sought.
    #[inline]
    fn set(&self, offset: u64, value: R) {
        match self.other {
            None => R::set(&self.cells[(offset / R::BYTES) as usize], value),
            Some(cells) => cells.store(offset as usize, R::BYTES as usize, value.to_u64()),
        }
    }
}

/// Refuses an undefined mask or address of an element, or a value to be stored there.
fn check_defined(
    i: usize,
    pointers: &Tile,
    value: Option<&Tile>,
    mask: Option<&Tile>,
    active: bool,
) -> Result<(), Faulty> {
    let undefined = |role, code| Err((i, RawFault::Undefined { role, code }));
    match mask.map_or(0, |mask| mask.poison_at(i)) {
        0 => {}
        code => return undefined("mask", code),
    }
    if !active {
        return Ok(());
    }
    match pointers.poison_at(i) {
        0 => {}
        code => return undefined("address", code),
    }
    match value.map_or(0, |value| value.poison_at(i)) {
        0 => Ok(()),
        code => undefined("value", code),
    }
}

impl Accessor<'_> {
    /// Loads the elements whose mask holds into `out`; others come from `other`, or are marked with `poison`.
    pub fn load<T: Element>(
        &self,
        pointers: &Tile,
        mask: Option<&Tile>,
        other: Option<&Tile>,
        poison: u32,
        out: &mut Tile,
    ) -> Result<(), Faulty> {
        let addresses = pointers.get::<i64>();
        let masks = mask.map(Tile::get::<bool>);
        let loaded = out.begin::<T>();
        let mut cursor = Cursor::<T::Raw>::new(self.memory);
        let careful = self.races.is_some() || [Some(pointers), mask].iter().flatten().any(|b| b.poison.is_some());
        if !careful && let Some(cells) = cursor.run(addresses, masks) {
            loaded.extend(cells.iter().map(|cell| T::from_raw(T::Raw::get(cell))));
            return Ok(());
        }
        match other {
            Some(other) => loaded.extend_from_slice(other.get()),
            None => loaded.resize(addresses.len(), T::default()),
        }
        for (i, (&address, loaded)) in addresses.iter().zip(loaded).enumerate() {
            let active = masks.is_none_or(|masks| masks[i]);
            if careful {
                check_defined(i, pointers, None, mask, active)?;
            }
            if !active {
                continue;
            }
            let address = address as u64;
            let offset = cursor.seek(address).map_err(|fault| (i, fault))?;
            if let Some((shadow, program)) = self.races {
                let conflict = shadow.borrow_mut().read(address, T::Raw::BYTES, program);
                conflict.map_err(|conflict| (i, RawFault::Race { address, conflict }))?;
            }
            *loaded = T::from_raw(cursor.get(offset));
        }
        let code = |(i, &mask): (usize, &bool)| match mask {
            true => 0,
            false => other.map_or(poison, |other| other.poison_at(i)),
        };
        let codes = masks.map(|masks| masks.iter().enumerate().map(code).collect::<Vec<u32>>());
        out.poison = codes.filter(|codes| codes.iter().any(|&code| code != 0));
        Ok(())
    }

    /// Stores the elements whose mask holds, in order.
    pub fn store<T: Element>(&self, pointers: &Tile, value: &Tile, mask: Option<&Tile>) -> Result<(), Faulty> {
        let (addresses, values) = (pointers.get::<i64>(), value.get::<T>());
        let masks = mask.map(Tile::get::<bool>);
        let mut cursor = Cursor::<T::Raw>::new(self.memory);
        let tiles = [Some(pointers), Some(value), mask];
        let careful = self.races.is_some() || tiles.iter().flatten().any(|b| b.poison.is_some());
        if !careful && let Some(cells) = cursor.run(addresses, masks) {
            for (cell, value) in cells.iter().zip(values) {
                T::Raw::set(cell, value.to_raw());
            }
            return Ok(());
        }
        for (i, (&address, &element)) in addresses.iter().zip(values).enumerate() {
            let active = masks.is_none_or(|masks| masks[i]);
            if careful {
                check_defined(i, pointers, Some(value), mask, active)?;
            }
            if !active {
                continue;
            }
            let (address, raw) = (address as u64, element.to_raw());
            let offset = cursor.seek(address).map_err(|fault| (i, fault))?;
            if let Some((shadow, program)) = self.races {
                let (old, new) = (cursor.get(offset).to_u64(), raw.to_u64());
                let conflict = shadow.borrow_mut().write(address, T::Raw::BYTES, old, new, program);
                conflict.map_err(|conflict| (i, RawFault::Race { address, conflict }))?;
            }
            cursor.set(offset, raw);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mytriton_ssa::Scalar;

    use super::*;

    /// The cells of a run that starts at element `start` of 8 and a half, each `step` bytes after the one before.
    fn run(elem: Scalar, start: u64, step: i64, masks: &[bool]) -> Option<Vec<u32>> {
        let mut memory = Memory::new();
        let bytes: Vec<u8> = (0..8u32).flat_map(u32::to_le_bytes).chain([7, 7]).collect();
        let id = memory.add_buffer("x", elem, &bytes).unwrap();
        let first = (memory.address(id).unwrap() + 4 * start) as i64;
        let addresses: Vec<i64> = (0..).map(|i| first + i * step).take(masks.len()).collect();
        let mut cursor = Cursor::<u32>::new(&memory);
        let cells = cursor.run(&addresses, Some(masks))?;
        Some(cells.iter().map(u32::get).collect())
    }

    #[test]
    fn elements_side_by_side_are_one_run() {
        let all = [true; 9];
        assert_eq!(run(Scalar::F32, 0, 4, &all[..8]), Some((0..8).collect()));
        assert_eq!(run(Scalar::F32, 3, 4, &all[..5]), Some((3..8).collect()));
        assert_eq!(run(Scalar::F32, 7, 4, &all[..1]), Some(vec![7]));
        assert_eq!(run(Scalar::F32, 7, 8, &all[..1]), Some(vec![7]));
    }

    #[test]
    fn elements_apart_beyond_the_end_or_left_out_are_none() {
        let all = [true; 9];
        assert_eq!(run(Scalar::F32, 0, 4, &[]), None);
        assert_eq!(run(Scalar::F32, 0, 4, &all), None);
        assert_eq!(run(Scalar::F32, 8, 4, &all[..1]), None);
        assert_eq!(run(Scalar::F32, 0, 8, &all[..2]), None);
        assert_eq!(run(Scalar::F32, 0, 0, &all[..2]), None);
        assert_eq!(run(Scalar::F32, 7, -4, &all[..8]), None);
        assert_eq!(run(Scalar::F32, 0, 4, &[true, true, false]), None);
        // Cells of another width.
        assert_eq!(run(Scalar::F16, 0, 4, &all[..8]), None);
        assert_eq!(run(Scalar::F64, 0, 4, &all[..2]), None);
    }
}
