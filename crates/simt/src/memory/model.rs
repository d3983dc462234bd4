//! Shadow and clocks against happens-before by its definition: every access remembered, with the set of those that
//! happened before it.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::clock::{AsyncAgent, Knowledge};
use crate::program::Order;

/// Bytes of the one buffer.
const BYTES: usize = 8;
/// Threads of a block that take part: of two warps.
const THREADS: [u32; 4] = [0, 1, 33, 34];
/// Objects that knowledge is passed through.
const SLOTS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    /// Adds.
    Atomic,
}

#[derive(Clone, Debug)]
struct Touch {
    kind: Kind,
    log: u32,
    at: usize,
    value: u8,
    order: Order,
    /// Does it though it races; otherwise it is left out.
    dare: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Access(usize, usize, Touch),
    BarrierAll(usize),
    Barrier(usize, Vec<usize>),
    Release(usize, usize, usize),
    Acquire(usize, usize, usize),
    ProxyFence(usize, usize),
    Fence(usize, usize),
    Issue(usize, usize, bool),
    /// The next access of an operation: what it reads, then what it writes.
    Twin(usize, Touch),
    /// A thread waits for an operation.
    Wait(usize, usize),
}

fn touch() -> impl Strategy<Value = Touch> {
    let kind = prop_oneof![3 => Just(Kind::Read), 3 => Just(Kind::Write), 1 => Just(Kind::Atomic)];
    let order = (any::<bool>(), any::<bool>()).prop_map(|(acquire, release)| Order { acquire, release });
    let place = (0u32..4, any::<prop::sample::Index>());
    (kind, place, 0u8..3, order, prop::bool::weighted(0.12)).prop_map(|(kind, (log, at), value, order, dare)| {
        let at = at.index(BYTES >> log) << log;
        Touch {
            kind,
            log,
            at,
            value,
            order,
            dare,
        }
    })
}

fn step(blocks: usize) -> impl Strategy<Value = Step> {
    let (b, t) = (0..blocks, 0..THREADS.len());
    let some = prop::collection::btree_set(t.clone(), 1..4).prop_map(|set| set.into_iter().collect());
    prop_oneof![
        12 => (b.clone(), t.clone(), touch()).prop_map(|(b, t, touch)| Step::Access(b, t, touch)),
        1 => b.clone().prop_map(Step::BarrierAll),
        2 => (b.clone(), some).prop_map(|(b, some)| Step::Barrier(b, some)),
        2 => (b.clone(), t.clone(), 0..SLOTS).prop_map(|(b, t, slot)| Step::Release(b, t, slot)),
        2 => (b.clone(), t.clone(), 0..SLOTS).prop_map(|(b, t, slot)| Step::Acquire(b, t, slot)),
        1 => (b.clone(), t.clone()).prop_map(|(b, t)| Step::ProxyFence(b, t)),
        1 => (b.clone(), t.clone()).prop_map(|(b, t)| Step::Fence(b, t)),
        2 => (b.clone(), t.clone(), any::<bool>()).prop_map(|(b, t, bulk)| Step::Issue(b, t, bulk)),
        3 => (0usize..4, touch()).prop_map(|(twin, touch)| Step::Twin(twin, touch)),
        2 => (0usize..4, t).prop_map(|(twin, t)| Step::Wait(twin, t)),
    ]
}

/// Numbers of accesses.
type Set = BTreeSet<usize>;

/// What is known, and what of it is fenced.
#[derive(Clone, Debug, Default)]
struct Known {
    generic: Set,
    fenced: Set,
}

impl Known {
    fn join(&mut self, other: &Known) {
        self.generic.extend(&other.generic);
        self.fenced.extend(&other.fenced);
    }
}

#[derive(Debug)]
struct Event {
    block: u32,
    thread: u32,
    kind: Kind,
    bulk: bool,
    known: Known,
    start: usize,
    /// For each byte, whether it changed; of an atomic, whether any did.
    changed: Vec<bool>,
}

impl Event {
    fn changed(&self, byte: usize) -> Option<bool> {
        self.changed.get(byte.checked_sub(self.start)?).copied()
    }
}

#[derive(Default)]
struct Model {
    events: Vec<Event>,
    content: [u8; BYTES],
    threads: Vec<[Known; 4]>,
    at_fence: Vec<[Known; 4]>,
    for_fence: Vec<[Known; 4]>,
    slots: [Known; SLOTS],
    released: Vec<(usize, Known)>,
}

impl Model {
    /// Whether one that does something knows what an earlier event did to a byte.
    fn knows(&self, known: &Known, bulk: bool, event: usize, byte: usize) -> bool {
        let other = &self.events[event];
        let writes = match other.kind {
            Kind::Read => false,
            Kind::Write => true,
            Kind::Atomic => other.changed(byte) == Some(true),
        };
        match bulk && writes && !other.bulk {
            true => known.fenced.contains(&event),
            false => known.generic.contains(&event),
        }
    }

    /// The events that a new one races with, and the byte.
    fn races(&self, new: &Event) -> Vec<(usize, usize)> {
        let mut races = Vec::new();
        for (byte, &changed) in (new.start..).zip(&new.changed) {
            let all: Vec<usize> = (0..self.events.len())
                .filter(|&e| self.events[e].changed(byte).is_some())
                .collect();
            let change = |&e: &usize| self.events[e].kind == Kind::Write && self.events[e].changed(byte) == Some(true);
            let last = all.iter().rposition(change).unwrap_or(0);
            let current = &all[last..];
            let unknown = |e: usize| !self.knows(&new.known, new.bulk, e, byte);
            let kind = |e: usize| self.events[e].kind;
            let changing_atomic = |e: usize| kind(e) == Kind::Atomic && self.events[e].changed(byte) == Some(true);
            let writers: Vec<usize> = current.iter().copied().filter(|&e| kind(e) == Kind::Write).collect();
            let dominated = |e: usize| {
                let later = writers.iter().filter(|&&w| w > e);
                later
                    .into_iter()
                    .any(|&w| self.knows(&self.events[w].known, self.events[w].bulk, e, byte))
            };
            let latest: Vec<usize> = writers.iter().copied().filter(|&e| !dominated(e)).collect();
            let lost = !latest.is_empty() && latest.iter().all(|&e| unknown(e));
            let mut conflicts: Vec<usize> = match (new.kind, changed) {
                (Kind::Read, _) => current
                    .iter()
                    .copied()
                    .filter(|&e| changing_atomic(e) && unknown(e))
                    .collect(),
                (Kind::Write, true) => current.iter().copied().filter(|&e| unknown(e)).collect(),
                (Kind::Write, false) => current
                    .iter()
                    .copied()
                    .filter(|&e| changing_atomic(e) && unknown(e))
                    .collect(),
                (Kind::Atomic, true) => current
                    .iter()
                    .copied()
                    .filter(|&e| kind(e) != Kind::Atomic && unknown(e))
                    .collect(),
                (Kind::Atomic, false) => Vec::new(),
            };
            if lost && (new.kind == Kind::Read || (new.kind, changed) == (Kind::Atomic, false)) {
                conflicts.extend(latest);
            }
            races.extend(conflicts.into_iter().map(|e| (byte, e)));
        }
        races
    }

    fn event(&self, block: usize, thread: usize, bulk: bool, known: Known, touch: &Touch) -> Event {
        let len = 1 << touch.log;
        let old = &self.content[touch.at..touch.at + len];
        let changed = match touch.kind {
            Kind::Read => vec![false; len],
            Kind::Write => old.iter().map(|&old| old != touch.value).collect(),
            Kind::Atomic => vec![touch.value != 0; len],
        };
        Event {
            block: block as u32,
            thread: THREADS[thread],
            kind: touch.kind,
            bulk,
            known,
            start: touch.at,
            changed,
        }
    }

    fn apply(&mut self, event: Event, touch: &Touch) {
        let bytes = &mut self.content[touch.at..touch.at + (1 << touch.log)];
        match touch.kind {
            Kind::Read => {}
            Kind::Write => bytes.fill(touch.value),
            Kind::Atomic => {
                let mut number = [0; 8];
                number[..bytes.len()].copy_from_slice(bytes);
                let sum = u64::from_le_bytes(number)
                    .wrapping_add(touch.value.into())
                    .to_le_bytes();
                bytes.copy_from_slice(&sum[..bytes.len()]);
            }
        }
        self.events.push(event);
    }
}

/// An operation: who issued it, what it knows, and what it did.
struct Twin {
    agent: AsyncAgent,
    block: usize,
    thread: usize,
    bulk: bool,
    known: Known,
    did: Vec<usize>,
}

/// Runs steps on both until an access that races is done; says how many were found to race.
fn compare(blocks: usize, across: bool, steps: &[Step]) -> usize {
    let mut memory = Memory::new();
    let id = memory.add_zeros("m", BYTES as u64).unwrap();
    let base = memory.address(id).unwrap();
    memory.begin_launch();
    let mut clocks: Vec<BlockClocks> = (0..blocks).map(|b| BlockClocks::new(b as u32, 40, across)).collect();
    let mut slots: [Knowledge; SLOTS] = Default::default();
    // Blocks that learn nothing of each other have objects of their own.
    let slot_of = |block: usize, slot: usize| if across || block == 0 { Some(slot) } else { None };
    let mut twins: Vec<Twin> = Vec::new();
    let mut model = Model {
        threads: vec![Default::default(); blocks],
        at_fence: vec![Default::default(); blocks],
        for_fence: vec![Default::default(); blocks],
        ..Model::default()
    };
    for step in steps {
        match step {
            Step::Access(b, t, touch) => {
                let (b, t) = (*b, *t);
                let who = Who {
                    block: b as u32,
                    thread: THREADS[t],
                    pc: 0,
                    proxy: Proxy::Generic,
                };
                let mut known = model.threads[b][t].clone();
                let synchronises = across && touch.kind == Kind::Atomic;
                let released = model
                    .released
                    .iter()
                    .find(|(at, _)| *at == touch.at)
                    .map(|(_, known)| known.clone());
                if let (true, true, Some(released)) = (synchronises, touch.order.acquire, &released) {
                    known.join(released);
                }
                let event = model.event(b, t, false, known.clone(), touch);
                let races = model.races(&event);
                if !races.is_empty() && !touch.dare {
                    continue;
                }
                let address = base + touch.at as u64;
                let mut data = [touch.value; BYTES];
                let data = &mut data[..1 << touch.log];
                let mut view = memory.view(&mut clocks[b], true);
                let result = match touch.kind {
                    Kind::Read => view.load(who, address, data),
                    Kind::Write => view.store(who, address, data),
                    Kind::Atomic => {
                        let mut add = |old: u64| old.wrapping_add(touch.value.into());
                        view.atomic(who, address, data.len(), touch.order, &mut add)
                            .1
                            .map_or(Ok(()), Err)
                    }
                };
                drop(view);
                if touch.kind == Kind::Read {
                    assert_eq!(*data, model.content[touch.at..touch.at + data.len()]);
                }
                if check(&model, &result, &races, base) {
                    return 1;
                }
                if let (true, false, Some(released)) = (synchronises, touch.order.acquire, &released) {
                    model.for_fence[b][t].join(released);
                }
                known.generic.insert(model.events.len());
                model.threads[b][t] = known.clone();
                if synchronises {
                    let known = if touch.order.release {
                        known
                    } else {
                        model.at_fence[b][t].clone()
                    };
                    match model.released.iter_mut().find(|(at, _)| *at == touch.at) {
                        Some((_, released)) => released.join(&known),
                        None => model.released.push((touch.at, known)),
                    }
                }
                model.apply(event, touch);
            }
            Step::BarrierAll(b) => {
                clocks[*b].barrier_all();
                let mut all = Known::default();
                model.threads[*b].iter().for_each(|known| all.join(known));
                model.threads[*b].fill(all);
            }
            Step::Barrier(b, threads) => {
                clocks[*b].barrier(&threads.iter().map(|&t| THREADS[t]).collect::<Vec<_>>());
                let mut all = Known::default();
                threads.iter().for_each(|&t| all.join(&model.threads[*b][t]));
                threads.iter().for_each(|&t| model.threads[*b][t] = all.clone());
            }
            Step::Release(b, t, slot) => {
                if let Some(slot) = slot_of(*b, *slot) {
                    slots[slot].join(&clocks[*b].release(THREADS[*t]));
                    model.slots[slot].join(&model.threads[*b][*t]);
                }
            }
            Step::Acquire(b, t, slot) => {
                clocks[*b].acquire(THREADS[*t], &slots[*slot]);
                if let Some(slot) = slot_of(*b, *slot) {
                    model.threads[*b][*t].join(&model.slots[slot]);
                }
            }
            Step::ProxyFence(b, t) => {
                clocks[*b].proxy_fence(THREADS[*t]);
                let known = &mut model.threads[*b][*t];
                known.fenced = known.generic.clone();
            }
            Step::Fence(b, t) => {
                clocks[*b].fence(THREADS[*t]);
                let seen = std::mem::take(&mut model.for_fence[*b][*t]);
                model.threads[*b][*t].join(&seen);
                model.at_fence[*b][*t] = model.threads[*b][*t].clone();
            }
            Step::Issue(b, t, bulk) => {
                let proxy = if *bulk { Proxy::Async } else { Proxy::Generic };
                twins.push(Twin {
                    agent: clocks[*b].issue(THREADS[*t], proxy),
                    block: *b,
                    thread: *t,
                    bulk: *bulk,
                    known: model.threads[*b][*t].clone(),
                    did: Vec::new(),
                });
            }
            Step::Twin(index, touch) => {
                let Some(twin) = twins.iter_mut().rev().nth(*index).filter(|twin| twin.did.len() < 2) else {
                    continue;
                };
                let writes = twin.did.len() == 1;
                let kind = if writes { Kind::Write } else { Kind::Read };
                let touch = Touch { kind, ..touch.clone() };
                let mut known = twin.known.clone();
                known.generic.extend(&twin.did);
                let event = model.event(twin.block, twin.thread, twin.bulk, known, &touch);
                let races = model.races(&event);
                if !races.is_empty() && !touch.dare {
                    continue;
                }
                let address = base + touch.at as u64;
                let mut data = [touch.value; BYTES];
                let data = &mut data[..1 << touch.log];
                let mut view = memory.view(&mut clocks[twin.block], true);
                let own = Own { id: 0, pc: 0 };
                let result = match writes {
                    true => view.store_async(&twin.agent, own, address, data),
                    false => view.load_async(&twin.agent, own, address, data),
                };
                if check(&model, &result, &races, base) {
                    return 1;
                }
                twin.did.push(model.events.len());
                model.apply(event, &touch);
            }
            Step::Wait(index, t) => {
                let Some(twin) = twins.iter().rev().nth(*index) else {
                    continue;
                };
                let knowledge = match twin.did.len() {
                    0 => continue,
                    1 => clocks[twin.block].completed_read(&twin.agent),
                    _ => clocks[twin.block].completed(&twin.agent),
                };
                clocks[twin.block].acquire(THREADS[*t], &knowledge);
                let known = &mut model.threads[twin.block][*t];
                known.join(&twin.known);
                known.generic.extend(&twin.did);
            }
        }
    }
    0
}

/// Whether the access raced; it must have if and only if it should, with one of those that it should race with.
fn check(model: &Model, result: &Result<(), AccessFault>, races: &[(usize, usize)], base: u64) -> bool {
    match result {
        Ok(()) => assert!(races.is_empty(), "not found: {races:?}"),
        Err(AccessFault::Race { byte, other }) => {
            let found = races.iter().any(|&(at, e)| {
                let event = &model.events[e];
                (base + at as u64, event.block, event.thread) == (*byte, other.block, other.thread)
            });
            assert!(found, "found {result:?} among {races:?}");
        }
        Err(other) => panic!("{other:?}"),
    }
    !races.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn races_in_a_block(steps in prop::collection::vec(step(1), 1..70)) {
        compare(1, true, &steps);
    }

    #[test]
    fn races_across_blocks(steps in prop::collection::vec(step(3), 1..70)) {
        compare(3, true, &steps);
    }

    #[test]
    fn races_of_blocks_that_learn_nothing_of_each_other(steps in prop::collection::vec(step(4), 1..70)) {
        compare(4, false, &steps);
    }
}
