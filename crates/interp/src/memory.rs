//! Global memory: registered buffers in a private 64-bit address space, read and written by programs in parallel.
//!
//! Every buffer stands in the middle of a slot of 2^40 bytes of its own. An address therefore says which buffer it
//! was meant for however far outside of it lies, and lookup is a shift. What a buffer is made of: [`crate::cells`].

use std::collections::VecDeque;

use mytriton_ssa::Scalar;

use crate::cells::Cells;

/// Binary logarithm of the bytes of address space for each buffer.
const SLOT_BITS: u32 = 40;
/// Where in its slot a buffer begins, so that offsets may be wrong by as much in both directions.
const SLOT_START: u64 = 1 << (SLOT_BITS - 1);
/// Slots are numbered from 1, for null to be in none, and addresses are positive as `i64`.
const MAX_SLOTS: usize = (1 << (63 - SLOT_BITS)) - 1;
/// Slots of removed buffers stay unused until there are this many of them, so that stale addresses are found.
const QUARANTINE: usize = 4096;

/// Names a buffer of one [`Memory`]. The name of a removed buffer stays invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BufferId {
    slot: u32,
    generation: u32,
}

/// What can go wrong when buffers are made, filled and read by the host.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryError {
    /// The host has no memory left, or the buffer is too large for the address space of 2^39 bytes each.
    #[error("no memory for buffer '{name}' of {bytes} bytes")]
    OutOfMemory {
        /// The buffer's name.
        name: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The buffer was removed, or belongs to another memory.
    #[error("the buffer does not exist (any more)")]
    NoSuchBuffer,
    /// A copy that does not fit into the buffer.
    #[error("a copy of {bytes} bytes at byte {offset} of buffer '{name}', which has {len}")]
    Range {
        /// The buffer's name.
        name: String,
        /// Where the copy begins, in bytes.
        offset: u64,
        /// How many bytes it has.
        bytes: u64,
        /// The buffer's size in bytes.
        len: u64,
    },
}

/// A set of buffers. Programs of a launch share it; the host reads and writes it between launches.
#[derive(Debug, Default)]
pub struct Memory {
    /// Slot `i + 1` of the address space is entry `i`.
    slots: Vec<Slot>,
    free: VecDeque<u32>,
}

#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    buffer: Option<Buffer>,
}

/// One buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub name: String,
    /// Address of the first byte.
    pub base: u64,
    /// Size in bytes.
    pub len: u64,
    pub cells: Cells,
}

impl Memory {
    /// A memory without buffers.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Adds a buffer with the given content, little-endian. `elem` is the type that kernels will mostly access it
    /// as: any other access works too but is slower. The name (it may be empty) is for error messages.
    pub fn add_buffer(&mut self, name: impl Into<String>, elem: Scalar, bytes: &[u8]) -> Result<BufferId, MemoryError> {
        self.insert(name.into(), bytes.len() as u64, |_| Cells::from_bytes(elem, bytes))
    }

    /// Adds a buffer of `elements` zeros of a type.
    pub fn add_zeros(&mut self, name: impl Into<String>, elem: Scalar, elements: u64) -> Result<BufferId, MemoryError> {
        let bytes = elements.saturating_mul(u64::from(elem.bytes()));
        self.insert(name.into(), bytes, |bytes| Cells::zeros(elem, bytes))
    }

    fn insert(
        &mut self,
        name: String,
        bytes: u64,
        cells: impl FnOnce(u64) -> Option<Cells>,
    ) -> Result<BufferId, MemoryError> {
        let cells = (bytes <= SLOT_START).then(|| cells(bytes)).flatten();
        let Some((cells, slot)) = cells.and_then(|cells| Some((cells, self.slot(MAX_SLOTS)?))) else {
            return Err(MemoryError::OutOfMemory { name, bytes });
        };
        let entry = &mut self.slots[slot as usize];
        entry.buffer = Some(Buffer {
            name,
            base: ((u64::from(slot) + 1) << SLOT_BITS) + SLOT_START,
            len: bytes,
            cells,
        });
        Ok(BufferId {
            slot,
            generation: entry.generation,
        })
    }

    /// A slot for a new buffer, if one of at most `limit` is left: a new one as long as few removed ones wait.
    fn slot(&mut self, limit: usize) -> Option<u32> {
        if self.free.len() <= QUARANTINE && self.slots.len() < limit {
            self.slots.push(Slot::default());
            return Some(self.slots.len() as u32 - 1);
        }
        self.free.pop_front()
    }

    /// Removes a buffer. Its addresses then belong to no buffer.
    pub fn remove_buffer(&mut self, id: BufferId) -> Result<(), MemoryError> {
        self.get(id)?;
        let slot = &mut self.slots[id.slot as usize];
        slot.buffer = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push_back(id.slot);
        Ok(())
    }

    pub(crate) fn get(&self, id: BufferId) -> Result<&Buffer, MemoryError> {
        self.slots
            .get(id.slot as usize)
            .filter(|slot| slot.generation == id.generation)
            .and_then(|slot| slot.buffer.as_ref())
            .ok_or(MemoryError::NoSuchBuffer)
    }

    /// The buffer in whose slot of the address space an address is, within the buffer or not.
    pub(crate) fn find(&self, address: u64) -> Option<&Buffer> {
        let slot = (address >> SLOT_BITS).checked_sub(1)?;
        self.slots.get(slot as usize)?.buffer.as_ref()
    }

    /// The address of a buffer's first byte; a multiple of 256.
    pub fn address(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.get(id)?.base)
    }

    /// A buffer's size in bytes.
    pub fn size(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.get(id)?.len)
    }

    /// Copies the buffer's bytes from `offset` on to the host, as many as `out` has.
    pub fn read(&self, id: BufferId, offset: u64, out: &mut [u8]) -> Result<(), MemoryError> {
        let buffer = self.get(id)?;
        buffer.check_range(offset, out.len() as u64)?;
        buffer.cells.copy_out(offset as usize, out);
        Ok(())
    }

    /// Copies bytes of the host into the buffer from `offset` on.
    pub fn write(&self, id: BufferId, offset: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let buffer = self.get(id)?;
        buffer.check_range(offset, bytes.len() as u64)?;
        buffer.cells.copy_in(offset as usize, bytes);
        Ok(())
    }

    /// The whole content of a buffer, little-endian.
    pub fn read_back(&self, id: BufferId) -> Result<Vec<u8>, MemoryError> {
        let mut out = vec![0; self.get(id)?.len as usize];
        self.read(id, 0, &mut out)?;
        Ok(out)
    }
}

impl Buffer {
    fn check_range(&self, offset: u64, bytes: u64) -> Result<(), MemoryError> {
        if offset.checked_add(bytes).is_some_and(|end| end <= self.len) {
            return Ok(());
        }
        Err(MemoryError::Range {
            name: self.name.clone(),
            offset,
            bytes,
            len: self.len,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_removed_buffer_is_gone_and_its_slot_rests() {
        let mut memory = Memory::new();
        let a = memory.add_buffer("a", Scalar::F32, &[1, 2, 3, 4]).unwrap();
        let address = memory.address(a).unwrap();
        memory.remove_buffer(a).unwrap();
        assert_eq!(memory.remove_buffer(a), Err(MemoryError::NoSuchBuffer));
        assert!(memory.find(address).is_none());
        let b = memory.add_zeros("b", Scalar::I8, 3).unwrap();
        assert_ne!(memory.address(b).unwrap(), address);
        // Slots come back in the end, under another name.
        for _ in 0..=QUARANTINE + 1 {
            let id = memory.add_zeros("", Scalar::I8, 0).unwrap();
            memory.remove_buffer(id).unwrap();
        }
        assert!(memory.slots.len() <= QUARANTINE + 4);
        assert_eq!(memory.size(a), Err(MemoryError::NoSuchBuffer));
        assert_eq!(memory.size(b), Ok(3));
    }

    /// An address of a removed buffer is found for as long as the slots that were removed after it rest too.
    #[test]
    fn slots_rest_until_many_wait() {
        let mut memory = Memory::new();
        let ids: Vec<BufferId> = (0..QUARANTINE + 3)
            .map(|_| memory.add_zeros("", Scalar::I8, 0).unwrap())
            .collect();
        for (removed, id) in ids.iter().enumerate() {
            memory.remove_buffer(*id).unwrap();
            let count = memory.slots.len();
            let fresh = memory.add_zeros("", Scalar::I8, 0).unwrap();
            // The slot of the one that was removed first.
            let (reused, slot) = (memory.slots.len() == count, removed.saturating_sub(QUARANTINE) as u32);
            assert_eq!(reused, removed >= QUARANTINE);
            assert!(if reused {
                fresh.slot == slot
            } else {
                fresh.slot as usize == count
            });
        }
    }

    /// When all are in use, slots come back before they rested.
    #[test]
    fn the_address_space_has_so_many_slots() {
        let mut memory = Memory::new();
        let ids: Vec<BufferId> = (0..3).map(|_| memory.add_zeros("", Scalar::I8, 0).unwrap()).collect();
        assert_eq!(memory.slot(3), None);
        memory.remove_buffer(ids[2]).unwrap();
        memory.remove_buffer(ids[0]).unwrap();
        assert_eq!(memory.slot(4), Some(3));
        assert_eq!(
            [memory.slot(4), memory.slot(4), memory.slot(4)],
            [Some(2), Some(0), None]
        );
    }

    #[test]
    fn sizes_beyond_the_address_space_or_the_host_are_errors() {
        let mut memory = Memory::new();
        for elements in [u64::MAX / 2, SLOT_START / 8 + 1] {
            let error = memory.add_zeros("big", Scalar::I64, elements).unwrap_err();
            assert!(matches!(error, MemoryError::OutOfMemory { .. }), "{error}");
        }
        let id = memory.add_zeros("x", Scalar::I32, 2).unwrap();
        let error = memory.write(id, 5, &[0; 4]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a copy of 4 bytes at byte 5 of buffer 'x', which has 8"
        );
        assert!(memory.read(id, u64::MAX, &mut [0]).is_err());
    }

    /// One access to a buffer.
    fn access() -> impl Strategy<Value = (usize, usize, Option<u64>)> {
        (0u32..4, any::<prop::sample::Index>(), any::<Option<u64>>()).prop_map(|(log, at, value)| {
            let bytes = 1usize << log;
            (at.index(LEN / bytes) * bytes, bytes, value)
        })
    }

    const LEN: usize = 29;

    proptest! {
        /// Accesses of all widths to buffers of all cell widths do what they do to a plain array of bytes.
        #[test]
        fn every_width_on_every_cell(
            elem in prop::sample::select(vec![Scalar::I8, Scalar::F16, Scalar::F32, Scalar::I64]),
            accesses in prop::collection::vec(access(), 1..40),
            copies in prop::collection::vec((0..=LEN, 0..=LEN), 0..4),
        ) {
            let mut model: Vec<u8> = (0..LEN as u8).collect();
            let mut memory = Memory::new();
            let id = memory.add_buffer("m", elem, &model).unwrap();
            for (offset, bytes, value) in accesses {
                let cells = &memory.get(id).unwrap().cells;
                match value {
                    Some(value) => {
                        cells.store(offset, bytes, value);
                        model[offset..offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                    }
                    None => {
                        let mut expected = [0; 8];
                        expected[..bytes].copy_from_slice(&model[offset..offset + bytes]);
                        prop_assert_eq!(cells.load(offset, bytes), u64::from_le_bytes(expected));
                    }
                }
            }
            for (a, b) in copies {
                let (start, end) = (a.min(b), a.max(b));
                let new: Vec<u8> = (start..end).map(|i| (i * 7 + 3) as u8).collect();
                memory.write(id, start as u64, &new).unwrap();
                model[start..end].copy_from_slice(&new);
                let mut out = vec![0; end - start];
                memory.read(id, start as u64, &mut out).unwrap();
                prop_assert_eq!(&out, &new);
            }
            prop_assert_eq!(memory.read_back(id).unwrap(), model);
        }
    }
}
