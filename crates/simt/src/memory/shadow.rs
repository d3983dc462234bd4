//! What the shadow of a page remembers of each word, and when accesses race.
//!
//! Two accesses to a byte *race* when neither happened before the other ([`crate::clock`]), one of them changes it, and
//! not both are atomic. Bytes are told apart, and so are values:
//!
//! - A store of the value that is there already races with no plain access: replicated values are stored by several
//!   lanes as a matter of course, and whichever comes last, memory is the same. Its thread becomes one more *writer* of
//!   the byte, in the place of those writers that it knows. What memory held before the launch has no writer.
//! - A store that changes a byte races with every read and write of it that the thread does not know. It is the byte's
//!   only writer from then on.
//! - A read races unless the thread knows one of the byte's writers, if it has any, and all atomics since.
//! - An atomic that changes memory races with every plain access that the thread does not know; one that changes nothing
//!   is a read that does not race with atomics.
//!
//! The async proxy must know ordinary *writes* through a proxy fence ([`crate::clock`]).
//!
//! So a word needs its *writes* since a plain store last changed it and its *reads* since then; of these only such as
//! happened before no other, for whoever knows the later knows the earlier. Accesses by lanes of one warp with the same
//! clock to the same bytes are one entry. Most words need one or two entries, which stand in arrays that are made when a
//! page first needs them; a map has the rest.
//!
//! Where blocks never learn of each other, accesses of two blocks already race with whatever any third does, and no
//! more are kept (of reads and atomics; writers of the same value must each find themselves).
//!
//! Not found: races that this order of execution hides, because some synchronisation happened to order the accesses;
//! races between accesses that a plain store, itself racing and reported, came between.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::access::{AccessKind, OtherAccess, Proxy};
use crate::clock::Actor;

const TWIN: u32 = 1;
const ATOMIC: u32 = 2;
const ASYNC_PROXY: u32 = 4;
/// On the second entry of a word: the map has more.
const MORE: u32 = 8;
const FLAGS: u32 = TWIN | ATOMIC | ASYNC_PROXY;
const BYTES: u32 = 0xF0;
const MAX_PC: u32 = 0xFF_FFFF;

/// Accesses of some bytes of a word by lanes of a warp at one clock.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// In the grid.
    warp: u32,
    lanes: u32,
    /// Of each lane; of a twin, the operation's number.
    clock: u32,
    /// Of the first one's instruction 24 bits, a bit for each byte 4, flags 4.
    meta: u32,
}

/// One of the accesses that an access races with, and the first byte of the word that both touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflict {
    pub byte: u32,
    pub other: OtherAccess,
}

impl Entry {
    fn new(actor: &Actor<'_>, bytes: u32, atomic: bool) -> Entry {
        let mut meta = actor.pc.min(MAX_PC) << 8 | bytes << 4;
        meta |= if actor.twin { TWIN } else { 0 };
        meta |= if atomic { ATOMIC } else { 0 };
        meta |= if actor.proxy == Proxy::Async { ASYNC_PROXY } else { 0 };
        Entry {
            warp: actor.warp(),
            lanes: actor.lane(),
            clock: actor.clock,
            meta,
        }
    }

    fn is_empty(&self) -> bool {
        self.lanes == 0
    }

    fn bytes(&self) -> u32 {
        self.meta >> 4 & 0xF
    }

    fn is_atomic(&self) -> bool {
        self.meta & ATOMIC != 0
    }

    /// Whether they differ in lanes only.
    fn is_like(&self, other: &Entry) -> bool {
        const KEY: u32 = BYTES | FLAGS;
        self.warp == other.warp && self.clock == other.clock && (self.meta ^ other.meta) & KEY == 0
    }

    fn with(&self, lanes: u32, bytes: u32) -> Entry {
        Entry {
            lanes,
            meta: self.meta & !(BYTES | MORE) | bytes << 4,
            ..*self
        }
    }

    /// The lanes whose access the actor knows.
    fn known(&self, actor: &Actor<'_>, is_write: bool) -> u32 {
        let fenced = is_write && actor.proxy == Proxy::Async && self.meta & ASYNC_PROXY == 0;
        actor.known_lanes(self.warp, self.lanes, self.clock, self.meta & TWIN != 0, fenced)
    }

    fn is_known(&self, actor: &Actor<'_>, is_write: bool) -> bool {
        self.known(actor, is_write) == self.lanes
    }

    /// The conflict with the first lane that the actor does not know, over some bytes.
    fn conflict(&self, actor: &Actor<'_>, is_write: bool, bytes: u32) -> Conflict {
        let lane = (self.lanes & !self.known(actor, is_write)).trailing_zeros();
        Conflict {
            byte: (self.bytes() & bytes).trailing_zeros(),
            other: OtherAccess {
                block: self.warp / actor.warps,
                thread: self.warp % actor.warps * 32 + lane,
                pc: self.meta >> 8,
                kind: match (self.is_atomic(), is_write) {
                    (true, _) => AccessKind::Atomic,
                    (false, true) => AccessKind::Write,
                    (false, false) => AccessKind::Read,
                },
                proxy: match self.meta & ASYNC_PROXY {
                    0 => Proxy::Generic,
                    _ => Proxy::Async,
                },
            },
        }
    }
}

type Gathered = SmallVec<[Entry; 8]>;

/// Entries of one kind, for each word of a page. A word's first two stand in arrays, the second only behind a first.
#[derive(Debug, Default)]
struct Set {
    first: Box<[Entry]>,
    second: Box<[Entry]>,
    more: FxHashMap<u32, Vec<Entry>>,
}

impl Set {
    fn first(&self, word: usize) -> Entry {
        self.first.get(word).copied().unwrap_or_default()
    }

    fn second(&self, word: usize) -> Entry {
        self.second.get(word).copied().unwrap_or_default()
    }

    fn iter(&self, word: usize) -> impl Iterator<Item = Entry> + '_ {
        let (first, second) = (self.first(word), self.second(word));
        let more = if second.meta & MORE == 0 {
            None
        } else {
            self.more.get(&(word as u32))
        };
        let inline = [first, second].into_iter().filter(|entry| !entry.is_empty());
        inline.chain(more.into_iter().flatten().copied())
    }

    fn gather(&self, word: usize) -> Gathered {
        self.iter(word).collect()
    }

    fn put(&mut self, word: usize, words: usize, entries: &[Entry]) {
        let slot = |layer: &mut Box<[Entry]>, entry: Option<&Entry>| {
            if layer.is_empty() && entry.is_some() {
                *layer = vec![Entry::default(); words].into_boxed_slice();
            }
            if let Some(slot) = layer.get_mut(word) {
                *slot = entry.copied().unwrap_or_default();
                slot.meta &= !MORE;
            }
        };
        let had_more = self.second(word).meta & MORE != 0;
        slot(&mut self.first, entries.first());
        slot(&mut self.second, entries.get(1));
        if entries.len() > 2 {
            self.second[word].meta |= MORE;
            let more = self.more.entry(word as u32).or_default();
            more.clear();
            more.extend_from_slice(&entries[2..]);
        } else if had_more {
            self.more.remove(&(word as u32));
        }
    }

    /// Adds lanes to the first or second entry if that is all there is to do.
    fn merge(&mut self, word: usize, new: &Entry) -> bool {
        for layer in [&mut self.first, &mut self.second] {
            if let Some(slot) = layer.get_mut(word).filter(|slot| slot.is_like(new) && !slot.is_empty()) {
                slot.lanes |= new.lanes;
                return true;
            }
        }
        false
    }
}

/// The shadow of a page.
#[derive(Debug)]
pub(crate) struct Shadow {
    words: usize,
    writes: Set,
    reads: Set,
}

impl Shadow {
    /// The shadow of a page of so many words of 4 bytes that nobody has accessed yet.
    pub fn new(words: usize) -> Shadow {
        Shadow {
            words,
            writes: Set::default(),
            reads: Set::default(),
        }
    }

    /// A read of some bytes of a word (a bit for each).
    pub fn read(&mut self, actor: &Actor<'_>, word: usize, bytes: u32) -> Option<Conflict> {
        let race = self.unknown_writer(actor, word, bytes, false);
        self.add_read(actor, word, Entry::new(actor, bytes, false));
        race
    }

    /// A write that changes some of its bytes.
    pub fn write(&mut self, actor: &Actor<'_>, word: usize, bytes: u32, changed: u32) -> Option<Conflict> {
        let new = Entry::new(actor, bytes, false);
        let old = self.writes.first(word);
        // Writers that the actor knows are replaced, though their entry be like its own: one of them may have released
        // what the actor acquired since.
        let joins = changed == 0 && self.writes.second(word).is_empty() && old.known(actor, true) & !new.lanes == 0;
        if joins && self.writes.merge(word, &new) {
            return None;
        }
        // Most words are written by one warp, and what it replaces is known.
        let replaced = old.is_empty() || (old.bytes() & !changed == 0 && old.is_known(actor, true));
        if replaced && self.writes.second(word).is_empty() && self.reads.first(word).is_empty() {
            self.writes.put(word, self.words, &[new]);
            return None;
        }
        let conflicts = |entry: &Entry, is_write: bool| {
            let over = changed | if is_write && entry.is_atomic() { bytes } else { 0 };
            let over = entry.bytes() & over;
            (over != 0 && !entry.is_known(actor, is_write)).then(|| entry.conflict(actor, is_write, over))
        };
        let mut race = None;
        let mut kept = Gathered::new();
        for entry in self.writes.iter(word) {
            race = race.or_else(|| conflicts(&entry, true));
            if entry.bytes() & bytes == 0 || entry.is_atomic() {
                push(&mut kept, entry.with(entry.lanes, entry.bytes() & !changed));
                continue;
            }
            let known = entry.known(actor, true);
            push(&mut kept, entry.with(entry.lanes & !known, entry.bytes() & !changed));
            push(&mut kept, entry.with(known, entry.bytes() & !bytes));
        }
        push(&mut kept, new);
        self.writes.put(word, self.words, &kept);
        if changed != 0 && !self.reads.first(word).is_empty() {
            kept.clear();
            for entry in self.reads.iter(word) {
                race = race.or_else(|| conflicts(&entry, false));
                push(&mut kept, entry.with(entry.lanes, entry.bytes() & !changed));
            }
            self.reads.put(word, self.words, &kept);
        }
        race
    }

    /// An atomic, which changes memory or does not.
    pub fn atomic(&mut self, actor: &Actor<'_>, word: usize, bytes: u32, changed: bool) -> Option<Conflict> {
        let new = Entry::new(actor, bytes, true);
        if !changed {
            let race = self.unknown_writer(actor, word, bytes, true);
            self.add_read(actor, word, new);
            return race;
        }
        let mut race = None;
        let mut conflicts = |entry: &Entry, is_write: bool| {
            let plain = entry.bytes() & bytes != 0 && !entry.is_atomic();
            let conflict = plain && !entry.is_known(actor, is_write);
            if conflict {
                race = race.or_else(|| Some(entry.conflict(actor, is_write, bytes)));
            }
            conflict
        };
        let mut kept = Gathered::new();
        for entry in self.writes.iter(word) {
            if conflicts(&entry, true) {
                // Reported; once is enough.
                push(&mut kept, entry.with(entry.lanes, entry.bytes() & !bytes));
            } else if entry.is_atomic() {
                let known = entry.known(actor, true);
                push(&mut kept, entry.with(entry.lanes & !known, entry.bytes()));
                push(&mut kept, entry.with(known, entry.bytes() & !bytes));
            } else {
                push(&mut kept, entry.with(entry.lanes, entry.bytes()));
            }
        }
        if !is_of_two_blocks(actor, &kept, &new) {
            push(&mut kept, new);
        }
        self.writes.put(word, self.words, &kept);
        if !self.reads.first(word).is_empty() {
            kept.clear();
            for entry in self.reads.iter(word) {
                let drop = if conflicts(&entry, false) { bytes } else { 0 };
                push(&mut kept, entry.with(entry.lanes, entry.bytes() & !drop));
            }
            self.reads.put(word, self.words, &kept);
        }
        race
    }

    /// Whether one that reads knows too little of the writers.
    fn unknown_writer(&self, actor: &Actor<'_>, word: usize, bytes: u32, atomic: bool) -> Option<Conflict> {
        if self.writes.first(word).is_empty() {
            return None;
        }
        let mut found = 0;
        for entry in self.writes.iter(word).filter(|entry| entry.bytes() & bytes != 0) {
            if entry.is_atomic() && !atomic && !entry.is_known(actor, true) {
                return Some(entry.conflict(actor, true, bytes));
            }
            if !entry.is_atomic() && entry.known(actor, true) != 0 {
                found |= entry.bytes();
            }
        }
        let lost = |entry: &Entry| entry.bytes() & bytes & !found;
        let entry = self
            .writes
            .iter(word)
            .find(|entry| !entry.is_atomic() && lost(entry) != 0)?;
        Some(entry.conflict(actor, true, lost(&entry)))
    }

    fn add_read(&mut self, actor: &Actor<'_>, word: usize, new: Entry) {
        if self.reads.merge(word, &new) {
            return;
        }
        if self.reads.first(word).is_empty() {
            return self.reads.put(word, self.words, &[new]);
        }
        let inline = [self.reads.first(word), self.reads.second(word)];
        if is_of_two_blocks(actor, &inline, &new) {
            return;
        }
        let old = self.reads.gather(word);
        if is_of_two_blocks(actor, &old, &new) {
            return;
        }
        let mut kept = Gathered::new();
        for entry in &old {
            let covered = !new.is_atomic() || entry.is_atomic();
            if entry.bytes() & new.bytes() == 0 || !covered {
                push(&mut kept, *entry);
                continue;
            }
            let known = entry.known(actor, false);
            push(&mut kept, entry.with(entry.lanes & !known, entry.bytes()));
            push(&mut kept, entry.with(known, entry.bytes() & !new.bytes()));
        }
        push(&mut kept, new);
        // If the new one is the first of a second block, two are enough from here on.
        let within = |entry: &Entry| entry.bytes() & !new.bytes() == 0;
        if kept.len() > 2 && !new.is_atomic() && kept.iter().all(within) {
            let of_another = |entry: &&Entry| is_of_two_blocks(actor, &[**entry, new], &new);
            if let Some(other) = kept.iter().find(of_another).copied() {
                kept = Gathered::from_slice(&[other, new]);
            }
        }
        self.reads.put(word, self.words, &kept);
    }
}

/// Adds an entry unless it is empty, to one that is like it if there is one.
fn push(entries: &mut Gathered, new: Entry) {
    if new.is_empty() || new.bytes() == 0 {
        return;
    }
    match entries.iter_mut().find(|entry| entry.is_like(&new)) {
        Some(entry) => entry.lanes |= new.lanes,
        None => entries.push(new),
    }
}

/// Whether blocks never learn of each other and entries of two blocks are there already that race with all that the new
/// one (a read or an atomic) would race with.
fn is_of_two_blocks(actor: &Actor<'_>, entries: &[Entry], new: &Entry) -> bool {
    if actor.across_blocks {
        return false;
    }
    let mut first = None;
    entries.iter().any(|entry| {
        let bytes = entry.bytes() & new.bytes() == new.bytes();
        if entry.is_empty() || !bytes || (entry.is_atomic() && !new.is_atomic()) {
            return false;
        }
        let block = entry.warp / actor.warps;
        *first.get_or_insert(block) != block
    })
}
