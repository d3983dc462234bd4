//! Faults of memory as findings.

use super::block::Block;
use crate::finding::{Accessed, FindingKind, Site};
use crate::memory::{AccessFault, AccessKind, OtherAccess, Who};
use crate::program::Space;

impl From<AccessKind> for Accessed {
    fn from(kind: AccessKind) -> Accessed {
        match kind {
            AccessKind::Read => Accessed::Read,
            AccessKind::Write => Accessed::Written,
            AccessKind::Atomic => Accessed::Updated,
        }
    }
}

impl Block<'_> {
    fn site_of(&self, access: &OtherAccess) -> Box<Site> {
        Box::new(self.env.site(access.block, access.thread, access.pc))
    }

    /// Notes a fault of an access of `size` bytes at an address.
    pub(super) fn report_fault(
        &self,
        who: Who,
        accessed: Accessed,
        space: Space,
        address: u64,
        size: u32,
        fault: AccessFault,
    ) {
        // What messages call the memory, and where in it an address is.
        let place = |address: u64| match space {
            Space::Shared => ("shared memory".to_owned(), address as i64),
            Space::Global => match self.env.memory.locate(address) {
                Some(("", offset)) => ("its buffer".to_owned(), offset),
                Some((name, offset)) => (format!("buffer '{name}'"), offset),
                None => ("memory".to_owned(), address as i64),
            },
        };
        let (memory, byte) = place(address);
        let mut other_pc = None;
        let kind = match fault {
            AccessFault::OutOfBounds { size: len, offset, .. } => FindingKind::OutOfBounds {
                accessed,
                memory,
                byte: offset,
                bytes: size,
                size: len,
            },
            AccessFault::OutOfShared { size: len } => FindingKind::OutOfBounds {
                accessed,
                memory,
                byte,
                bytes: size,
                size: len.into(),
            },
            AccessFault::NoBuffer => FindingKind::NoBuffer {
                accessed,
                address,
                bytes: size,
            },
            AccessFault::Misaligned { bytes } => FindingKind::Misaligned {
                accessed,
                memory,
                byte,
                bytes,
            },
            AccessFault::Uninitialised { byte } => FindingKind::Uninitialised { byte },
            AccessFault::Race { byte, other } => {
                other_pc = Some(other.pc);
                let (memory, byte) = place(byte);
                FindingKind::Race {
                    accessed,
                    memory,
                    byte: byte as u64,
                    other: self.site_of(&other),
                    other_accessed: other.kind.into(),
                }
            }
            AccessFault::InFlight { byte, by } => {
                other_pc = Some(by.pc);
                let (memory, byte) = place(byte);
                FindingKind::InFlight {
                    accessed,
                    memory,
                    byte: byte as u64,
                    issued: self.site_of(&by),
                }
            }
            AccessFault::Mbarrier { address, .. } => FindingKind::MbarrierAccess {
                accessed,
                byte: address,
            },
        };
        self.env.report(who.block, who.thread, who.pc, other_pc, kind);
    }
}
