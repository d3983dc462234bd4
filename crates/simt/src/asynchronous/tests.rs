//! Copies against what they must do and what is wrong with them; mbarriers against a simple model.

use proptest::prelude::*;

use super::engine::CopyFault;
use super::mbarrier::Mbarriers;
use super::*;
use crate::clock::{BlockClocks, Knowledge};
use crate::memory::{AccessFault, AccessKind, BufferId, Memory, Proxy, SharedMemory, Who};
use crate::program::Space;

/// A block of 64 threads, its shared memory, and a buffer of 4096 bytes.
struct Bench {
    memory: Memory,
    buffer: BufferId,
    base: u64,
    shared: SharedMemory,
    clocks: BlockClocks,
    engine: Engine,
}

/// Where the tests have an mbarrier.
const BARRIER: u64 = 1024;

fn who(thread: u32) -> Who {
    Who {
        block: 0,
        thread,
        pc: thread,
        proxy: Proxy::Generic,
    }
}

/// Ids tell all operations of a grid apart, and from what is reserved under an address with the top bit.
#[test]
fn ids_of_operations_differ() {
    let mut engines = [0, 1, u32::MAX].map(|block| Engine::new(block, 1));
    let mut ids: Vec<u64> = engines
        .iter_mut()
        .flat_map(|engine| [(); 3].map(|()| engine.fresh_id()))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 9);
    assert!(ids.iter().all(|id| id >> 63 == 0));
}

impl Bench {
    fn new() -> Bench {
        let mut memory = Memory::new();
        let content: Vec<u8> = (0..4096).map(|i| (i % 251) as u8).collect();
        let buffer = memory.add_buffer("x", &content).unwrap();
        memory.begin_launch();
        Bench {
            base: memory.address(buffer).unwrap(),
            memory,
            buffer,
            shared: SharedMemory::new(2048),
            clocks: BlockClocks::new(0, 64, false),
            engine: Engine::new(0, 64),
        }
    }

    /// Does something with the engine; gives what is wrong with it.
    fn with<T>(&mut self, f: impl FnOnce(&mut Engine, &mut Context<'_>) -> T) -> (T, Vec<Wrong>) {
        let mut cx = Context {
            memory: &self.memory,
            shared: &mut self.shared,
            clocks: &mut self.clocks,
            check_races: true,
            faults: Vec::new(),
        };
        let result = f(&mut self.engine, &mut cx);
        (result, cx.faults.into_iter().map(|fault| fault.wrong).collect())
    }

    /// As `with`, where nothing is wrong.
    fn well<T>(&mut self, f: impl FnOnce(&mut Engine, &mut Context<'_>) -> T) -> T {
        let (result, wrong) = self.with(f);
        assert_eq!(wrong, []);
        result
    }

    fn load(&mut self, thread: u32, address: u64, out: &mut [u8]) -> Result<(), AccessFault> {
        self.shared.load(&self.clocks, who(thread), address, out)
    }

    fn load_word(&mut self, thread: u32, address: u64) -> Result<[u8; 4], AccessFault> {
        let mut out = [0; 4];
        self.load(thread, address, &mut out).map(|()| out)
    }

    fn store(&mut self, thread: u32, address: u64, value: u8) -> Result<(), AccessFault> {
        self.shared.store(&self.clocks, who(thread), address, &[value; 16])
    }

    fn store_global(&mut self, thread: u32, offset: u64, value: u8) -> Result<(), AccessFault> {
        let mut view = self.memory.view(&mut self.clocks, true);
        view.store(who(thread), self.base + offset, &[value; 4])
    }
}

fn in_flight<T>(result: &Result<T, AccessFault>, kind: AccessKind) -> bool {
    matches!(result, Err(AccessFault::InFlight { by, .. }) if by.kind == kind)
}

fn races<T>(result: &Result<T, AccessFault>) -> bool {
    matches!(result, Err(AccessFault::Race { .. }))
}

fn is_access(wrong: &[Wrong], of: AccessKind, test: impl Fn(&AccessFault) -> bool) -> bool {
    matches!(wrong, [Wrong::Access { kind, fault, .. }] if *kind == of && test(fault))
}

#[test]
fn a_copy_is_there_for_those_that_waited() {
    let mut b = Bench::new();
    let base = b.base;
    b.well(|engine, cx| {
        engine.copy(cx, who(3), 32, base + 16, 16, Some(9));
        engine.commit(3);
    });
    assert!(in_flight(&b.load_word(3, 40), AccessKind::Write));
    assert!(in_flight(&b.store(3, 32, 0), AccessKind::Write));
    assert!(in_flight(&b.store_global(3, 20, 0), AccessKind::Read));
    assert_eq!(b.store_global(3, 28, 0), Ok(()));
    b.well(|engine, cx| engine.wait(cx, 3, 0));
    let mut out = [9; 16];
    assert_eq!(b.load(3, 32, &mut out), Ok(()));
    assert_eq!(out, [16, 17, 18, 19, 20, 21, 22, 23, 24, 0, 0, 0, 0, 0, 0, 0]);
    assert!(races(&b.load_word(4, 32)));
    assert!(races(&b.store_global(4, 20, 1)));
    b.clocks.barrier_all();
    assert_eq!(b.load_word(4, 32), Ok([16, 17, 18, 19]));
    assert_eq!(b.store_global(4, 20, 2), Ok(()));
}

#[test]
fn groups_complete_in_order() {
    let mut b = Bench::new();
    let base = b.base;
    b.well(|engine, cx| {
        for i in 0..3 {
            engine.copy(cx, who(0), 16 * i, base + 16 * i, 16, None);
            engine.commit(0);
        }
        engine.copy(cx, who(0), 48, base + 48, 8, None);
        engine.wait(cx, 0, 1);
    });
    assert_eq!(b.engine.in_flight(), 2);
    assert_eq!(b.load_word(0, 16), Ok([16, 17, 18, 19]));
    assert!(in_flight(&b.load_word(0, 32), AccessKind::Write));
    // The open group is not waited for.
    b.well(|engine, cx| engine.wait(cx, 0, 0));
    assert_eq!(b.load_word(0, 32), Ok([32, 33, 34, 35]));
    assert!(in_flight(&b.load_word(0, 48), AccessKind::Write));
    b.well(|engine, cx| {
        engine.commit(0);
        engine.commit(0);
        engine.wait(cx, 0, 1);
    });
    assert_eq!(b.load_word(0, 48), Ok([48, 49, 50, 51]));
}

#[test]
fn an_early_completion_is_known_to_nobody() {
    let mut b = Bench::new();
    let base = b.base;
    b.well(|engine, cx| {
        engine.copy(cx, who(0), 0, base, 4, None);
        engine.commit(0);
        assert!(engine.complete_one(cx, 17));
        assert!(!engine.complete_one(cx, 17));
    });
    assert!(races(&b.load_word(0, 0)));
    b.well(|engine, cx| engine.wait(cx, 0, 0));
    assert_eq!(b.load_word(0, 0), Ok([0, 1, 2, 3]));
}

#[test]
fn copies_that_cannot_be() {
    let mut b = Bench::new();
    let base = b.base;
    let mut copy = |dst, src, valid| b.with(|engine, cx| engine.copy(cx, who(1), dst, src, 16, valid)).1;
    assert!(is_access(&copy(0, base + 4090, None), AccessKind::Read, |f| {
        matches!(f, AccessFault::OutOfBounds { offset: 4090, .. })
    }));
    let misaligned = |f: &AccessFault| *f == AccessFault::Misaligned { bytes: 16 };
    assert!(is_access(&copy(0, base + 8, None), AccessKind::Read, misaligned));
    assert!(is_access(&copy(8, base, None), AccessKind::Write, misaligned));
    assert!(is_access(&copy(2048, base, None), AccessKind::Write, |f| {
        matches!(f, AccessFault::OutOfShared { size: 2048 })
    }));
    assert_eq!(
        copy(0, base, Some(17)),
        [Wrong::Copy(CopyFault::Valid { valid: 17, bytes: 16 })]
    );
    // Nothing is read: the source may be anywhere.
    assert_eq!(copy(0, 0, Some(0)), []);
    assert!(is_access(&copy(0, base, None), AccessKind::Write, |f| {
        matches!(f, AccessFault::InFlight { .. })
    }));
    assert_eq!(copy(16, base, None), []);
    assert_eq!(copy(32, base, None), []);
    b.well(|engine, cx| {
        engine.commit(1);
        engine.wait(cx, 1, 0);
    });
    assert_eq!(b.load_word(1, 0), Ok([0; 4]));
    assert_eq!(b.load_word(1, 16), Ok([0, 1, 2, 3]));
    // What was not issued has left nothing behind.
    assert_eq!(b.store_global(1, 0, 1), Ok(()));
    let bulk = |bytes| move |engine: &mut Engine, cx: &mut Context<'_>| engine.bulk_store(cx, who(1), base, 0, bytes);
    for bytes in [0, 8, 1 << 40] {
        assert_eq!(b.with(bulk(bytes)).1, [Wrong::Copy(CopyFault::BulkSize { bytes })]);
    }
}

#[test]
fn copies_race_like_their_threads() {
    let mut b = Bench::new();
    let base = b.base;
    // Another thread wrote the source; and read the destination, which the copy changes.
    b.store_global(9, 0, 7).unwrap();
    b.store(9, 0, 1).unwrap();
    let (_, wrong) = b.with(|engine, cx| {
        engine.copy(cx, who(1), 0, base, 16, None);
        engine.commit(1);
        engine.wait(cx, 1, 0);
    });
    let raced =
        |wrong: &Wrong, of| matches!(wrong, Wrong::Access { kind, fault: AccessFault::Race { .. }, .. } if *kind == of);
    assert!(
        matches!(&wrong[..], [a, b] if raced(a, AccessKind::Read) && raced(b, AccessKind::Write)),
        "{wrong:?}"
    );
}

/// An mbarrier of one arrival, initialised by thread 0, that all threads and (with a fence) the async proxy see.
fn with_barrier(fence: bool) -> Bench {
    let mut b = Bench::new();
    b.well(|engine, cx| engine.barrier_init(cx, who(0), BARRIER, 1));
    if fence {
        b.clocks.proxy_fence(0);
    }
    b.clocks.barrier_all();
    b
}

#[test]
fn a_bulk_load_completes_on_its_mbarrier() {
    let mut b = with_barrier(true);
    let base = b.base;
    b.well(|engine, cx| {
        engine.bulk_load(cx, who(0), 0, base, 256, BARRIER);
        assert_eq!(engine.barrier_arrive(cx, who(0), BARRIER, 1, Some(256)), 0);
        assert!(!engine.barrier_test(cx, who(40), BARRIER, 0, true));
    });
    assert!(in_flight(&b.load_word(40, 128), AccessKind::Write));
    let (_, wrong) = b.with(|engine, cx| engine.barrier_invalidate(cx, who(63), BARRIER + 8));
    assert_eq!(
        wrong,
        [Wrong::Barrier(BarrierFault::NotInitialised { address: BARRIER + 8 })]
    );
    b.well(|engine, cx| {
        assert!(engine.complete_one(cx, 0));
        assert!(engine.barrier_test(cx, who(40), BARRIER, 0, true));
        assert!(engine.barrier_test(cx, who(41), BARRIER, 0, false));
    });
    assert_eq!(b.load_word(40, 128), Ok([128, 129, 130, 131]));
    assert_eq!(b.load_word(41, 252), Ok([1, 2, 3, 4]));
    assert!(races(&b.load_word(42, 128)));
    // The next phase has not completed; the one before the first counts as completed.
    b.well(|engine, cx| assert!(!engine.barrier_test(cx, who(42), BARRIER, 1, true)));
}

#[test]
fn the_async_proxy_must_see_the_mbarrier() {
    let mut b = with_barrier(false);
    let base = b.base;
    let (_, wrong) = b.with(|engine, cx| {
        engine.bulk_load(cx, who(0), 0, base, 16, BARRIER);
        engine.complete_one(cx, 0);
    });
    assert!(
        is_access(&wrong, AccessKind::Atomic, |f| matches!(f, AccessFault::Race { .. })),
        "{wrong:?}"
    );
}

#[test]
fn a_bulk_store_needs_a_fence() {
    for fence in [false, true] {
        let mut b = Bench::new();
        let base = b.base;
        for thread in 0..2 {
            b.store(thread, 16 * u64::from(thread), 5).unwrap();
            if fence {
                b.clocks.proxy_fence(thread);
            }
        }
        b.clocks.barrier_all();
        let (_, wrong) = b.with(|engine, cx| {
            engine.bulk_store(cx, who(0), base + 64, 0, 32);
            engine.bulk_commit(0);
            engine.bulk_wait(cx, 0, 0, true);
        });
        let race = is_access(&wrong, AccessKind::Read, |f| matches!(f, AccessFault::Race { .. }));
        assert_eq!((wrong.is_empty(), race), (fence, !fence), "{wrong:?}");
        // The source has been read, for the one that waited; the destination is still in flight.
        assert!(races(&b.store(1, 0, 6)));
        assert_eq!(b.store(0, 16, 6), Ok(()));
        assert!(in_flight(&b.store_global(0, 64, 0), AccessKind::Write));
        // Even when it is written, the wait for the source says nothing of it.
        b.well(|engine, cx| assert!(engine.complete_one(cx, 0)));
        assert!(races(&b.store_global(0, 92, 0)));
        b.well(|engine, cx| engine.bulk_wait(cx, 0, 0, false));
        assert_eq!(b.memory.read_back(b.buffer).unwrap()[64..92], [5; 28]);
        assert_eq!(b.store_global(0, 64, 0), Ok(()));
        assert!(races(&b.store_global(1, 68, 0)));
    }
}

#[test]
fn an_mbarrier_is_no_ordinary_memory() {
    let mut b = with_barrier(true);
    let mbarrier = |f: AccessFault| matches!(f, AccessFault::Mbarrier { address: BARRIER, by } if by.thread == 0);
    assert!(b.load_word(5, BARRIER + 4).is_err_and(mbarrier));
    assert!(b.store(5, BARRIER, 0).is_err_and(mbarrier));
    let base = b.base;
    let (_, wrong) = b.with(|engine, cx| engine.copy(cx, who(5), BARRIER, base, 16, None));
    assert!(is_access(&wrong, AccessKind::Write, |f| mbarrier(f.clone())));
    let (_, wrong) = b.with(|engine, cx| engine.barrier_init(cx, who(0), BARRIER, 1));
    assert_eq!(wrong, [Wrong::Barrier(BarrierFault::Initialised { address: BARRIER })]);
    // One thread ends it while another may still look at it.
    b.well(|engine, cx| assert!(!engine.barrier_test(cx, who(9), BARRIER, 0, true)));
    let (_, wrong) = b.with(|engine, cx| engine.barrier_invalidate(cx, who(0), BARRIER));
    assert!(
        is_access(&wrong, AccessKind::Atomic, |f| matches!(f, AccessFault::Race { .. })),
        "{wrong:?}"
    );
    b.clocks.barrier_all();
    assert_eq!(b.store(5, BARRIER, 0), Ok(()));
}

#[test]
fn an_mbarrier_is_initialised_before_it_is_used() {
    let mut b = Bench::new();
    b.well(|engine, cx| engine.barrier_init(cx, who(0), BARRIER, 2));
    b.well(|engine, cx| engine.barrier_arrive(cx, who(0), BARRIER, 1, None));
    let (_, wrong) = b.with(|engine, cx| engine.barrier_arrive(cx, who(1), BARRIER, 1, None));
    assert!(is_access(&wrong, AccessKind::Atomic, |f| matches!(
        f,
        AccessFault::Race { .. }
    )));
    let mut init = |address, count| b.with(|engine, cx| engine.barrier_init(cx, who(0), address, count)).1;
    assert_eq!(init(0, 0), [Wrong::Barrier(BarrierFault::Count { count: 0 })]);
    assert!(is_access(&init(4, 1), AccessKind::Atomic, |f| *f
        == AccessFault::Misaligned { bytes: 8 }));
    assert!(is_access(&init(4096, 1), AccessKind::Atomic, |f| matches!(
        f,
        AccessFault::OutOfShared { .. }
    )));
    let (_, wrong) = b.with(|engine, cx| engine.barrier_test(cx, who(0), 4096, 0, true));
    assert_eq!(wrong, [Wrong::Barrier(BarrierFault::NotInitialised { address: 4096 })]);
}

/// Threads that arrive make what they did known to those that see the phase completed.
#[test]
fn an_mbarrier_orders_what_threads_do() {
    let mut b = Bench::new();
    b.well(|engine, cx| engine.barrier_init(cx, who(0), BARRIER, 2));
    b.clocks.barrier_all();
    for thread in [1, 33] {
        b.store(thread, 16 * u64::from(thread), 1).unwrap();
        b.well(|engine, cx| engine.barrier_arrive(cx, who(thread), BARRIER, 1, None));
    }
    // Done after the arrival: nobody has to know it.
    b.store(1, 0, 1).unwrap();
    b.well(|engine, cx| assert!(engine.barrier_test(cx, who(50), BARRIER, 0, true)));
    assert_eq!(b.load_word(50, 16), Ok([1; 4]));
    assert_eq!(b.load_word(50, 33 * 16), Ok([1; 4]));
    assert!(races(&b.load_word(50, 0)));
}

#[test]
fn a_block_waits_before_it_ends() {
    let mut b = with_barrier(true);
    let base = b.base;
    b.store(0, 512, 3).unwrap();
    b.clocks.proxy_fence(0);
    b.well(|engine, cx| {
        engine.bulk_store(cx, who(0), base, 512, 16);
        engine.bulk_commit(0);
        engine.bulk_wait(cx, 0, 0, true);
        engine.bulk_store(cx, who(0), base + 16, 512, 16);
        engine.bulk_load(cx, who(0), 0, base + 64, 16, BARRIER);
    });
    let (_, wrong) = b.with(|engine, cx| engine.finish(cx));
    assert_eq!(
        wrong,
        [Wrong::Copy(CopyFault::Unfinished), Wrong::Copy(CopyFault::Unfinished)]
    );
    assert_eq!(b.engine.in_flight(), 0);
    assert_eq!(b.memory.read_back(b.buffer).unwrap()[..32], [3; 32]);
}

#[test]
fn an_mbarrier_that_is_waited_for_is_not_invalidated() {
    let mut b = with_barrier(true);
    let base = b.base;
    b.well(|engine, cx| engine.bulk_load(cx, who(0), 0, base, 16, BARRIER));
    let (_, wrong) = b.with(|engine, cx| engine.barrier_invalidate(cx, who(0), BARRIER));
    assert_eq!(wrong, [Wrong::Barrier(BarrierFault::InUse { operations: 1 })]);
    let (_, wrong) = b.with(|engine, cx| engine.finish(cx));
    assert_eq!(wrong.len(), 2, "{wrong:?}");
}

#[test]
fn copies_keep_their_space() {
    let mut b = Bench::new();
    let (_, wrong) = b.with(|engine, cx| engine.copy(cx, who(2), 0, 64, 16, None));
    let expected = Wrong::Access {
        kind: AccessKind::Read,
        space: Space::Global,
        address: 64,
        bytes: 16,
        fault: AccessFault::NoBuffer,
    };
    assert_eq!(wrong, [expected]);
}

#[derive(Clone, Debug)]
enum Step {
    Arrive(u64, Option<u64>),
    Expect(u64),
    Complete(u64),
    Parity(u64),
    State(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0u64..4, prop::option::of(0u64..3)).prop_map(|(count, expect)| Step::Arrive(count, expect)),
        1 => (0u64..3).prop_map(Step::Expect),
        3 => (0u64..3).prop_map(Step::Complete),
        2 => (0u64..3).prop_map(Step::Parity),
        2 => (0u64..4).prop_map(Step::State),
    ]
}

proptest! {
    /// Phases are numbers of completed rounds of `count` arrivals and as many bytes as were expected.
    #[test]
    fn phases_of_an_mbarrier(count in 1u64..5, steps in prop::collection::vec(step(), 0..60)) {
        let nothing = Knowledge::default();
        let mut barriers = Mbarriers::default();
        barriers.init(8, count).unwrap();
        let (mut phase, mut came, mut bytes) = (0u64, 0u64, 0i64);
        for step in steps {
            match step {
                Step::Arrive(n, expect) => {
                    let result = barriers.arrive(8, n, expect, &nothing);
                    if n == 0 {
                        prop_assert_eq!(result, Err(BarrierFault::Count { count: 0 }));
                        continue;
                    }
                    if came + n > count {
                        let pending = (count - came) as u32;
                        prop_assert_eq!(result, Err(BarrierFault::TooManyArrivals { count: n as u32, pending }));
                        continue;
                    }
                    prop_assert_eq!(result, Ok(phase));
                    came += n;
                    bytes += expect.unwrap_or(0) as i64;
                }
                Step::Expect(n) => {
                    barriers.expect(8, n).unwrap();
                    bytes += n as i64;
                }
                Step::Complete(n) => {
                    barriers.begin_operation(8).unwrap();
                    barriers.complete(8, n, &nothing).unwrap();
                    bytes -= n as i64;
                }
                Step::Parity(parity) => {
                    let result = barriers.test(8, parity, true).map(|done| done.is_some());
                    match parity {
                        2 => prop_assert_eq!(result, Err(BarrierFault::Parity { parity })),
                        _ => prop_assert_eq!(result, Ok(phase % 2 != parity)),
                    }
                }
                Step::State(state) => {
                    let result = barriers.test(8, state, false).map(|done| done.is_some());
                    let expected = match state {
                        _ if state == phase => Ok(false),
                        _ if state + 1 == phase => Ok(true),
                        _ => Err(BarrierFault::State { state, phase }),
                    };
                    prop_assert_eq!(result, expected);
                }
            }
            if came == count && bytes == 0 {
                (phase, came) = (phase + 1, 0);
            }
            prop_assert_eq!(barriers.waits_for(8), Some(((count - came) as u32, bytes)));
        }
    }
}

#[test]
fn an_mbarrier_counts_so_far() {
    let nothing = Knowledge::default();
    let mut barriers = Mbarriers::default();
    barriers.init(0, 1).unwrap();
    assert_eq!(barriers.expect(0, (1 << 20) - 1), Ok(()));
    assert_eq!(barriers.expect(0, 1), Err(BarrierFault::Bytes { bytes: 1 << 20 }));
    assert!(barriers.expect(0, u64::MAX).is_err());
    assert!(barriers.arrive(0, 1 << 20, None, &nothing).is_err());
    assert_eq!(barriers.waits_for(0), Some((1, (1 << 20) - 1)));
    assert_eq!(barriers.init(8, 1 << 33), Err(BarrierFault::Count { count: 1 << 33 }));
}

/// Whichever number picks, one of those in flight completes, and each can be picked.
#[test]
fn every_pick_completes_one() {
    let mut first = std::collections::BTreeSet::new();
    for pick in (0..40).chain([u64::MAX, u64::MAX / 2]) {
        let mut b = Bench::new();
        b.engine = Engine::new(7, 64);
        let base = b.base;
        b.well(|engine, cx| {
            for i in 0..3 {
                engine.copy(cx, who(0), 16 * i, base + 16 * i, 16, None);
                engine.fresh_id();
            }
            assert_eq!(engine.in_flight(), 3);
            assert!(engine.complete_one(cx, pick));
            assert_eq!(engine.in_flight(), 2);
        });
        first.extend((0..3).filter(|i| !in_flight(&b.load_word(0, 16 * i), AccessKind::Write)));
    }
    assert_eq!(first.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

/// "cp.async" belongs to the generic proxy, bulk copies to the async one.
#[test]
fn copies_belong_to_a_proxy() {
    let proxy = |result: Result<[u8; 4], AccessFault>| match result {
        Err(AccessFault::InFlight { by, .. }) => by.proxy,
        other => panic!("not in flight: {other:?}"),
    };
    let mut b = with_barrier(true);
    let base = b.base;
    b.well(|engine, cx| {
        engine.copy(cx, who(0), 0, base, 16, None);
        engine.bulk_load(cx, who(0), 32, base, 16, BARRIER);
    });
    assert_eq!(proxy(b.load_word(0, 0)), Proxy::Generic);
    assert_eq!(proxy(b.load_word(0, 32)), Proxy::Async);
}

/// An mbarrier has no part in a copy that could not be issued, and bytes can be expected without an arrival.
#[test]
fn copies_that_fail_leave_the_mbarrier_alone() {
    let mut b = with_barrier(true);
    let base = b.base;
    let (_, wrong) = b.with(|engine, cx| engine.bulk_load(cx, who(0), 0, base + 4, 16, BARRIER));
    assert!(
        is_access(&wrong, AccessKind::Read, |f| matches!(
            f,
            AccessFault::Misaligned { .. }
        )),
        "{wrong:?}"
    );
    b.well(|engine, cx| engine.barrier_invalidate(cx, who(0), BARRIER));
    let mut b = with_barrier(true);
    b.well(|engine, cx| {
        engine.barrier_expect(cx, who(0), BARRIER, 16);
        engine.barrier_arrive(cx, who(0), BARRIER, 1, None);
        assert!(!engine.barrier_test(cx, who(1), BARRIER, 0, true));
        assert_eq!(engine.waits_for(BARRIER), Some((0, 16)));
        engine.bulk_load(cx, who(0), 0, base, 16, BARRIER);
        engine.complete_one(cx, 0);
        assert!(engine.barrier_test(cx, who(1), BARRIER, 0, true));
    });
    let (_, wrong) = b.with(|engine, cx| engine.barrier_expect(cx, who(0), BARRIER + 8, 16));
    assert_eq!(
        wrong,
        [Wrong::Barrier(BarrierFault::NotInitialised { address: BARRIER + 8 })]
    );
}

/// Over what a copy still writes there is none afterwards; the bytes beside one are ordinary.
#[test]
fn mbarriers_take_their_own_eight_bytes() {
    let mut b = Bench::new();
    let base = b.base;
    let (_, wrong) = b.with(|engine, cx| {
        engine.copy(cx, who(0), BARRIER, base, 16, None);
        engine.barrier_init(cx, who(0), BARRIER + 8, 1);
    });
    assert!(
        is_access(&wrong, AccessKind::Atomic, |f| matches!(
            f,
            AccessFault::InFlight { .. }
        )),
        "{wrong:?}"
    );
    b.well(|engine, cx| {
        engine.commit(0);
        engine.wait(cx, 0, 0);
        assert_eq!(engine.waits_for(BARRIER + 8), None);
    });
    assert_eq!(b.load_word(0, BARRIER + 8), Ok([8, 9, 10, 11]));
    b.well(|engine, cx| engine.barrier_init(cx, who(0), BARRIER + 8, 1));
    assert_eq!(b.load(0, BARRIER, &mut [0; 8]), Ok(()));
    assert_eq!(b.store(0, BARRIER + 16, 3), Ok(()));
    for byte in BARRIER + 8..BARRIER + 16 {
        assert!(b.load(0, byte, &mut [0]).is_err());
    }
}

/// A group has no part in another one's copies, whatever became of its own.
#[test]
fn a_group_of_a_copy_that_failed() {
    let mut b = Bench::new();
    let base = b.base;
    let (_, wrong) = b.with(|engine, cx| {
        engine.copy(cx, who(0), 0, base + 8, 16, None);
        engine.commit(0);
        engine.copy(cx, who(0), 16, base, 16, None);
        engine.commit(0);
        engine.wait(cx, 0, 1);
    });
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(in_flight(&b.load_word(0, 16), AccessKind::Write));
    b.well(|engine, cx| engine.wait(cx, 0, 0));
    assert_eq!(b.load_word(0, 16), Ok([0, 1, 2, 3]));
}

/// The id of an operation may be the address of an mbarrier, which is not its own for that.
#[test]
fn ids_of_operations_are_no_addresses_of_mbarriers() {
    let mut b = with_barrier(true);
    let base = b.base;
    while b.engine.fresh_id() < BARRIER - 1 {}
    let (_, wrong) = b.with(|engine, cx| {
        engine.copy(cx, who(0), BARRIER, base, 16, None);
        engine.commit(0);
        engine.wait(cx, 0, 0);
    });
    assert!(
        is_access(&wrong, AccessKind::Write, |f| matches!(
            f,
            AccessFault::Mbarrier { address: BARRIER, .. }
        )),
        "{wrong:?}"
    );
}
