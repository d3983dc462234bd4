//! A page of memory: its bytes, who accessed them, and what is in flight over them.

use rustc_hash::FxHashMap;

use super::access::{AccessFault, AccessKind, OtherAccess};
use super::shadow::{Conflict, Shadow};
use crate::clock::{Actor, Knowledge};

/// Bytes of a page. Accesses of at most 16 bytes, being aligned, are in one.
pub(crate) const PAGE: usize = 4096;

/// What a range of bytes is reserved for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reserve {
    /// An asynchronous operation will read them.
    Source,
    /// An asynchronous operation will write them.
    Destination,
    /// They are an mbarrier.
    Mbarrier,
}

/// A range of a page that ordinary accesses must respect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reserved {
    /// Of the operation, or of the mbarrier.
    pub id: u64,
    pub what: Reserve,
    pub start: usize,
    pub end: usize,
    pub by: OtherAccess,
}

/// A range of addresses that has to begin at a multiple of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bytes {
    pub address: u64,
    pub bytes: u64,
    pub align: u32,
}

impl Bytes {
    /// Whether it does.
    pub fn check_alignment(&self) -> Result<(), AccessFault> {
        match self.address.is_multiple_of(u64::from(self.align)) {
            true => Ok(()),
            false => Err(AccessFault::Misaligned { bytes: self.align }),
        }
    }
}

/// An access to a page: by whom, and with which reservation of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// `None` if races are not looked for.
    pub actor: Option<&'a Actor<'a>>,
    /// Address of the page's first byte.
    pub base: u64,
    /// Number of the launch; what happened in others is forgotten.
    pub launch: u32,
    /// The reservation that does not apply to the access.
    pub own: Option<u64>,
}

/// A page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Of the page; less in the last one.
    len: usize,
    /// Empty as long as all bytes are zero.
    data: Vec<u8>,
    /// A bit for each byte that was written, if that is looked for.
    written: Option<Box<[u64; PAGE / 64]>>,
    /// The launch that what is below belongs to.
    launch: u32,
    shadow: Option<Box<Shadow>>,
    reserved: Vec<Reserved>,
    /// What atomics released, by offset in the page.
    released: FxHashMap<u32, Knowledge>,
}

impl Page {
    /// A page of zeros; with `check_written`, of bytes that nobody wrote.
    pub fn new(len: usize, check_written: bool) -> Page {
        Page {
            len,
            written: check_written.then(|| Box::new([0; PAGE / 64])),
            ..Page::default()
        }
    }

    /// A page with a content.
    pub fn from_bytes(bytes: &[u8]) -> Page {
        Page {
            len: bytes.len(),
            data: bytes.to_vec(),
            ..Page::default()
        }
    }

    /// Reads without being seen.
    pub fn copy_out(&self, at: usize, out: &mut [u8]) {
        match self.data.is_empty() {
            true => out.fill(0),
            false => out.copy_from_slice(&self.data[at..at + out.len()]),
        }
    }

    /// Writes without being seen.
    pub fn copy_in(&mut self, at: usize, bytes: &[u8]) {
        if self.data.is_empty() {
            self.data.resize(self.len, 0);
        }
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn begin(&mut self, access: &Access<'_>) {
        if self.launch != access.launch {
            self.launch = access.launch;
            self.shadow = None;
            self.reserved = Vec::new();
            self.released = FxHashMap::default();
        }
    }

    fn shadow(&mut self) -> &mut Shadow {
        let words = self.len.div_ceil(4);
        self.shadow.get_or_insert_with(|| Box::new(Shadow::new(words)))
    }

    /// Reads bytes of the page, at most 16 and aligned as many.
    pub fn load(&mut self, access: &Access<'_>, at: usize, out: &mut [u8]) -> Result<(), AccessFault> {
        self.begin(access);
        if let Some(fault) = self.refused(access, at, out.len(), AccessKind::Read) {
            out.fill(0);
            return Err(fault);
        }
        self.copy_out(at, out);
        let mut race = None;
        if let Some(actor) = access.actor {
            let shadow = self.shadow();
            for (word, bytes) in words(at, out.len()) {
                race = race.or(in_page(word, shadow.read(actor, word, bytes)));
            }
        }
        match self.unwritten(at, out.len()) {
            Some(byte) => Err(AccessFault::Uninitialised {
                byte: access.base + byte as u64,
            }),
            None => race.map_or(Ok(()), |conflict| Err(race_fault(access, conflict))),
        }
    }

    /// Writes bytes of the page likewise.
    pub fn store(&mut self, access: &Access<'_>, at: usize, bytes: &[u8]) -> Result<(), AccessFault> {
        self.begin(access);
        if let Some(fault) = self.refused(access, at, bytes.len(), AccessKind::Write) {
            return Err(fault);
        }
        let mut race = None;
        if let Some(actor) = access.actor {
            for (word, mask) in words(at, bytes.len()) {
                let first = (word * 4).max(at);
                let mut changed = 0;
                for byte in first..(word * 4 + 4).min(at + bytes.len()) {
                    let old = self.data.get(byte).copied().unwrap_or(0);
                    let same = old == bytes[byte - at] && self.is_written(byte);
                    changed |= u32::from(!same) << (byte - word * 4);
                }
                // What was there before the launch has no writer to agree with.
                race = race.or(in_page(word, self.shadow().write(actor, word, mask, changed)));
            }
        }
        self.copy_in(at, bytes);
        self.set_written(at, bytes.len());
        race.map_or(Ok(()), |conflict| Err(race_fault(access, conflict)))
    }

    /// Reads, changes and writes a number of 1, 2, 4 or 8 bytes.
    pub fn atomic(
        &mut self,
        access: &Access<'_>,
        at: usize,
        bytes: usize,
        change: &mut dyn FnMut(u64) -> u64,
    ) -> (u64, Option<AccessFault>) {
        self.begin(access);
        if let Some(fault) = self.refused(access, at, bytes, AccessKind::Atomic) {
            return (0, Some(fault));
        }
        let mut number = [0; 8];
        self.copy_out(at, &mut number[..bytes]);
        let old = u64::from_le_bytes(number);
        let new = change(old).to_le_bytes();
        let unwritten = self.unwritten(at, bytes);
        let changed = new[..bytes] != number[..bytes] || unwritten.is_some();
        let race = self.touch(access, at, bytes, changed);
        self.copy_in(at, &new[..bytes]);
        self.set_written(at, bytes);
        let fault = match unwritten {
            Some(byte) => Some(AccessFault::Uninitialised {
                byte: access.base + byte as u64,
            }),
            None => race,
        };
        (old, fault)
    }

    /// An atomic access as far as others see it, to an object whose state is not in the page.
    pub fn touch(&mut self, access: &Access<'_>, at: usize, bytes: usize, changed: bool) -> Option<AccessFault> {
        self.begin(access);
        let actor = access.actor?;
        let mut race = None;
        for (word, bytes) in words(at, bytes) {
            race = race.or(in_page(word, self.shadow().atomic(actor, word, bytes, changed)));
        }
        race.map(|conflict| race_fault(access, conflict))
    }

    /// What was released at an address.
    pub fn released(&mut self, access: &Access<'_>, at: usize) -> Option<&Knowledge> {
        self.begin(access);
        self.released.get(&(at as u32))
    }

    /// Releases at an address.
    pub fn release(&mut self, at: usize, knowledge: &Knowledge) {
        self.released.entry(at as u32).or_default().join(knowledge);
    }

    /// Reserves bytes, unless something else stands against it. Those to be read may be read by several.
    pub fn reserve(&mut self, access: &Access<'_>, reserved: Reserved) -> Result<(), AccessFault> {
        self.begin(access);
        let kind = match reserved.what {
            Reserve::Source => AccessKind::Read,
            Reserve::Destination | Reserve::Mbarrier => AccessKind::Write,
        };
        let bytes = reserved.end - reserved.start;
        match self.refused(access, reserved.start, bytes, kind) {
            Some(fault) => Err(fault),
            None => {
                self.reserved.push(reserved);
                Ok(())
            }
        }
    }

    /// Ends a reservation.
    pub fn unreserve(&mut self, id: u64, what: Reserve) {
        if let Some(at) = self
            .reserved
            .iter()
            .position(|range| range.id == id && range.what == what)
        {
            self.reserved.swap_remove(at);
        }
    }

    fn refused(&self, access: &Access<'_>, at: usize, bytes: usize, kind: AccessKind) -> Option<AccessFault> {
        if self.reserved.is_empty() {
            return None;
        }
        let range = self.reserved.iter().find(|range| {
            let overlaps = range.start < at + bytes && at < range.end;
            let harmless = range.what == Reserve::Source && kind == AccessKind::Read;
            overlaps && !harmless && Some(range.id) != access.own
        })?;
        Some(match range.what {
            Reserve::Mbarrier => AccessFault::Mbarrier {
                address: access.base + range.start as u64,
                by: range.by,
            },
            Reserve::Source | Reserve::Destination => AccessFault::InFlight {
                byte: access.base + range.start.max(at) as u64,
                by: range.by,
            },
        })
    }

    fn is_written(&self, byte: usize) -> bool {
        let Some(written) = &self.written else { return true };
        written[byte / 64] >> (byte % 64) & 1 != 0
    }

    /// The first byte that nobody wrote.
    fn unwritten(&self, at: usize, bytes: usize) -> Option<usize> {
        self.written.as_ref()?;
        (at..at + bytes).find(|&byte| !self.is_written(byte))
    }

    fn set_written(&mut self, at: usize, bytes: usize) {
        if let Some(written) = &mut self.written {
            for byte in at..at + bytes {
                written[byte / 64] |= 1 << (byte % 64);
            }
        }
    }
}

/// The words that a range of bytes touches, and a bit for each byte of them in it.
fn words(at: usize, bytes: usize) -> impl Iterator<Item = (usize, u32)> {
    (at / 4..(at + bytes).div_ceil(4)).map(move |word| {
        let start = at.max(word * 4) - word * 4;
        let end = (at + bytes).min(word * 4 + 4) - word * 4;
        (word, (1 << end) - (1 << start))
    })
}

fn in_page(word: usize, conflict: Option<Conflict>) -> Option<Conflict> {
    conflict.map(|conflict| Conflict {
        byte: word as u32 * 4 + conflict.byte,
        ..conflict
    })
}

fn race_fault(access: &Access<'_>, conflict: Conflict) -> AccessFault {
    AccessFault::Race {
        byte: access.base + u64::from(conflict.byte),
        other: conflict.other,
    }
}
