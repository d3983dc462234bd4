//! The check for races between programs of a grid: a shadow of memory that remembers who accessed each byte.
//!
//! Programs run one after another while it is on, so that what it finds does not depend on chance: a write of another
//! value where another program wrote, a write where another program read, and a read where another program wrote.

use std::collections::HashMap;

use crate::error::Access;

/// Bytes of memory per page of the shadow.
const PAGE: u64 = 4096;
/// No program.
const NONE: u32 = 0;

/// What another program did to a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    /// Which byte of the access, from 0.
    pub byte: u64,
    pub other_access: Access,
    /// The other program's number in the grid.
    pub other: u64,
}

/// Who accessed a byte: numbers of programs plus 1.
#[derive(Clone, Copy, Default)]
struct Byte {
    writer: u32,
    /// The first program that read it, and another one that did too, if there is one.
    readers: [u32; 2],
}

/// The shadow of all memory that a launch touched.
#[derive(Default)]
pub(crate) struct Shadow {
    pages: HashMap<u64, Box<[Byte]>>,
}

impl Shadow {
    /// The most programs of a grid that it can tell apart.
    pub const MAX_PROGRAMS: u64 = u32::MAX as u64 - 1;

    /// The shadow of an aligned access, which never crosses a page.
    fn bytes(&mut self, address: u64, bytes: u64) -> &mut [Byte] {
        let page = self
            .pages
            .entry(address / PAGE)
            .or_insert_with(|| vec![Byte::default(); PAGE as usize].into());
        &mut page[(address % PAGE) as usize..][..bytes as usize]
    }

    /// Notes that a program reads.
    pub fn read(&mut self, address: u64, bytes: u64, program: u64) -> Result<(), Conflict> {
        let program = program as u32 + 1;
        for (byte, shadow) in (0..).zip(self.bytes(address, bytes)) {
            if shadow.writer != NONE && shadow.writer != program {
                return Err(conflict(byte, Access::Write, shadow.writer));
            }
            match &mut shadow.readers {
                [first, _] if *first == NONE || *first == program => *first = program,
                [_, second] => *second = program,
            }
        }
        Ok(())
    }

    /// Notes that a program replaces the bytes `old` by `new` (both little-endian).
    pub fn write(&mut self, address: u64, bytes: u64, old: u64, new: u64, program: u64) -> Result<(), Conflict> {
        let program = program as u32 + 1;
        let changed = old ^ new;
        for (byte, shadow) in (0..).zip(self.bytes(address, bytes)) {
            let changes = changed >> (8 * byte) & 0xFF != 0;
            if changes && shadow.writer != NONE && shadow.writer != program {
                return Err(conflict(byte, Access::Write, shadow.writer));
            }
            if let Some(&reader) = shadow.readers.iter().find(|&&r| r != NONE && r != program) {
                return Err(conflict(byte, Access::Read, reader));
            }
            shadow.writer = program;
        }
        Ok(())
    }
}

fn conflict(byte: u64, other_access: Access, other: u32) -> Conflict {
    Conflict {
        byte,
        other_access,
        other: u64::from(other) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_programs_apart() {
        let mut shadow = Shadow::default();
        let base = 1 << 40;
        // A program may do what it likes with its own bytes.
        shadow.write(base, 4, 0, 7, 0).unwrap();
        shadow.read(base, 4, 0).unwrap();
        shadow.write(base, 4, 7, 8, 0).unwrap();
        // Neighbours do not matter, nor does the same value again.
        shadow.write(base + 4, 2, 0, 1, 1).unwrap();
        shadow.write(base + 8, 2, 0, 3, 1).unwrap();
        shadow.write(base + 8, 2, 3, 3, 2).unwrap();
        // Any number of programs may read.
        for program in 0..3 {
            shadow.read(base + 16, 8, program).unwrap();
        }
        let conflict = |byte, other_access, other| {
            Err(Conflict {
                byte,
                other_access,
                other,
            })
        };
        assert_eq!(shadow.read(base, 2, 5), conflict(0, Access::Write, 0));
        assert_eq!(shadow.write(base + 4, 2, 1, 0x0101, 0), conflict(1, Access::Write, 1));
        assert_eq!(shadow.write(base + 16, 8, 0, 0, 0), conflict(0, Access::Read, 2));
        assert_eq!(shadow.write(base + 16, 8, 0, 0, 1), conflict(0, Access::Read, 0));
        // Accesses meet in their bytes, whatever their widths and wherever they begin.
        for at in [base + 64, base + PAGE - 8, base + PAGE] {
            shadow.write(at, 8, 0, u64::MAX, 0).unwrap();
            assert_eq!(shadow.read(at + 6, 2, 1), conflict(0, Access::Write, 0));
            assert_eq!(shadow.write(at + 4, 4, 0, 1 << 24, 1), conflict(3, Access::Write, 0));
        }
        shadow.read(base + 128, 2, 0).unwrap();
        assert_eq!(shadow.write(base + 128, 8, 0, 1, 1), conflict(0, Access::Read, 0));
        assert_eq!(shadow.write(base + 120, 8, 0, 1, 1), Ok(()));
    }
}
