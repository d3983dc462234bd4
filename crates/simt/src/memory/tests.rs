//! Buffers, faults of single accesses, and several threads of the host at once. Races: `model.rs`.

use super::*;
use crate::program::Order;

#[test]
fn a_removed_buffer_is_gone_and_its_slot_rests() {
    let mut memory = Memory::new();
    let a = memory.add_buffer("a", &[1, 2, 3, 4]).unwrap();
    let address = memory.address(a).unwrap();
    memory.remove_buffer(a).unwrap();
    assert_eq!(memory.remove_buffer(a), Err(MemoryError::NoSuchBuffer));
    assert!(memory.find(address).is_none());
    let b = memory.add_zeros("b", 3).unwrap();
    assert_ne!(memory.address(b).unwrap(), address);
    // Slots come back in the end, under another name.
    for _ in 0..=QUARANTINE + 1 {
        let id = memory.add_zeros("", 0).unwrap();
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
    let ids: Vec<BufferId> = (0..QUARANTINE + 3).map(|_| memory.add_zeros("", 0).unwrap()).collect();
    for (removed, id) in ids.iter().enumerate() {
        memory.remove_buffer(*id).unwrap();
        let count = memory.slots.len();
        let fresh = memory.add_zeros("", 0).unwrap();
        // The slot of the one that was removed first.
        let (reused, slot) = (memory.slots.len() == count, removed.saturating_sub(QUARANTINE) as u32);
        assert_eq!(reused, removed >= QUARANTINE);
        assert_eq!(fresh.slot, if reused { slot } else { count as u32 });
    }
}

/// When all are in use, slots come back before they rested.
#[test]
fn the_address_space_has_so_many_slots() {
    let mut memory = Memory::new();
    let ids: Vec<BufferId> = (0..3).map(|_| memory.add_zeros("", 0).unwrap()).collect();
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
    for bytes in [u64::MAX / 2, SLOT_START + 1] {
        let error = memory.add_zeros("big", bytes).unwrap_err();
        assert!(matches!(error, MemoryError::OutOfMemory { .. }), "{error}");
    }
    let id = memory.add_zeros("x", 8).unwrap();
    let error = memory.write(id, 5, &[0; 4]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a copy of 4 bytes at byte 5 of buffer 'x', which has 8"
    );
    assert!(memory.read(id, u64::MAX, &mut [0]).is_err());
}

#[test]
fn the_host_reads_what_it_wrote_across_pages() {
    let mut memory = Memory::new();
    let mut model: Vec<u8> = (0..2 * PAGE + 5).map(|i| (i % 251) as u8).collect();
    let id = memory.add_buffer("m", &model).unwrap();
    let zeros = memory.add_zeros("z", model.len() as u64).unwrap();
    assert_eq!(memory.read_back(zeros).unwrap(), vec![0; model.len()]);
    memory.write(id, PAGE as u64 - 3, &[7; PAGE + 6]).unwrap();
    model[PAGE - 3..2 * PAGE + 3].fill(7);
    assert_eq!(memory.read_back(id).unwrap(), model);
    let mut out = [0; 9];
    memory.read(id, PAGE as u64 - 6, &mut out).unwrap();
    assert_eq!(out[..], model[PAGE - 6..PAGE + 3]);
}

fn who(block: u32, thread: u32) -> Who {
    Who {
        block,
        thread,
        pc: 7,
        proxy: Proxy::Generic,
    }
}

const ACQ_REL: Order = Order {
    acquire: true,
    release: true,
};

#[test]
fn faults_of_single_accesses_to_global_memory() {
    let mut memory = Memory::new();
    let id = memory.add_buffer("x", &[1; 10]).unwrap();
    let removed = memory.add_zeros("y", 8).unwrap();
    let (base, stale) = (memory.address(id).unwrap(), memory.address(removed).unwrap());
    memory.remove_buffer(removed).unwrap();
    let mut clocks = BlockClocks::new(0, 1, false);
    let mut view = memory.view(&mut clocks, true);
    let mut out = [9; 4];
    let outside = |offset| AccessFault::OutOfBounds {
        buffer: "x".into(),
        size: 10,
        offset,
    };
    assert_eq!(view.load(who(0, 0), base + 8, &mut out), Err(outside(8)));
    assert_eq!(out, [0; 4]);
    assert_eq!(view.store(who(0, 0), base - 4, &[5; 4]), Err(outside(-4)));
    assert_eq!(view.load(who(0, 0), base + (1 << 38), &mut out), Err(outside(1 << 38)));
    assert_eq!(view.load(who(0, 0), stale, &mut out), Err(AccessFault::NoBuffer));
    assert_eq!(view.load(who(0, 0), 0, &mut out), Err(AccessFault::NoBuffer));
    assert_eq!(view.load(who(0, 0), u64::MAX, &mut out), Err(AccessFault::NoBuffer));
    assert_eq!(
        view.store(who(0, 0), base + 2, &[5; 4]),
        Err(AccessFault::Misaligned { bytes: 4 })
    );
    let (old, fault) = view.atomic(who(0, 0), base + 12, 4, ACQ_REL, &mut |old| old + 1);
    assert_eq!((old, fault), (0, Some(outside(12))));
    assert_eq!(view.store(who(0, 0), base + 8, &[5; 2]), Ok(()));
    drop(view);
    assert_eq!(memory.read_back(id).unwrap(), [1, 1, 1, 1, 1, 1, 1, 1, 5, 5]);
}

#[test]
fn shared_memory_knows_what_was_written() {
    let clocks = &mut BlockClocks::new(0, 1, false);
    let mut shared = SharedMemory::new(PAGE as u32 + 8);
    let at = PAGE as u64;
    let mut out = [9; 4];
    assert_eq!(shared.store(clocks, who(0, 0), at + 1, &[7]), Ok(()));
    let unwritten = |byte| AccessFault::Uninitialised { byte };
    assert_eq!(shared.load(clocks, who(0, 0), at, &mut out), Err(unwritten(at)));
    assert_eq!(out, [0, 7, 0, 0]);
    assert_eq!(shared.store(clocks, who(0, 0), at, &[1]), Ok(()));
    assert_eq!(shared.load(clocks, who(0, 0), at, &mut out), Err(unwritten(at + 2)));
    let (old, fault) = shared.atomic(clocks, who(0, 0), at + 4, 4, ACQ_REL, &mut |old| old + 3);
    assert_eq!((old, fault), (0, Some(unwritten(at + 4))));
    assert_eq!(shared.load(clocks, who(0, 0), at + 4, &mut out), Ok(()));
    assert_eq!(out, [3, 0, 0, 0]);
    let outside = AccessFault::OutOfShared { size: PAGE as u32 + 8 };
    assert_eq!(shared.load(clocks, who(0, 0), at + 8, &mut out), Err(outside.clone()));
    assert_eq!(shared.store(clocks, who(0, 0), u64::MAX - 3, &out), Err(outside));
    assert_eq!(
        shared.load(clocks, who(0, 0), at + 2, &mut out),
        Err(AccessFault::Misaligned { bytes: 4 })
    );
}

#[test]
fn a_race_in_shared_memory_names_the_other() {
    let clocks = &mut BlockClocks::new(3, 64, false);
    let mut shared = SharedMemory::new(16);
    shared.store(clocks, who(3, 5), 8, &[1; 4]).unwrap();
    let race = AccessFault::Race {
        byte: 10,
        other: OtherAccess {
            block: 3,
            thread: 5,
            pc: 7,
            kind: AccessKind::Write,
            proxy: Proxy::Generic,
        },
    };
    let mut out = [0; 2];
    assert_eq!(shared.load(clocks, who(3, 40), 10, &mut out), Err(race));
    assert_eq!(out, [1; 2]);
    // An atomic that releases, one that acquires.
    shared.store(clocks, who(3, 5), 0, &[0; 4]).unwrap();
    clocks.barrier_all();
    shared.store(clocks, who(3, 5), 8, &[2; 4]).unwrap();
    let mut add = |old: u64| old + 1;
    let order = |acquire, release| Order { acquire, release };
    shared.atomic(clocks, who(3, 5), 0, 4, order(false, true), &mut add);
    assert_eq!(
        shared.atomic(clocks, who(3, 40), 0, 4, order(true, false), &mut add),
        (1, None)
    );
    assert_eq!(shared.load(clocks, who(3, 40), 10, &mut out), Ok(()));
    assert!(shared.load(clocks, who(3, 41), 10, &mut out).is_err());
}

/// Who knows only a writer that a later one knew does not know the latest.
#[test]
fn a_writer_takes_the_place_of_those_it_knows() {
    let clocks = &mut BlockClocks::new(0, 64, false);
    let mut shared = SharedMemory::new(4);
    shared.store(clocks, who(0, 33), 0, &[1; 4]).unwrap();
    let released = clocks.release(33);
    // The same value, and the same clock in one warp; only thread 1 knows what thread 33 did.
    shared.store(clocks, who(0, 0), 0, &[1; 4]).unwrap();
    clocks.acquire(40, &released);
    assert_eq!(shared.load(clocks, who(0, 40), 0, &mut [0; 4]), Ok(()));
    clocks.acquire(1, &released);
    shared.store(clocks, who(0, 1), 0, &[1; 4]).unwrap();
    assert!(shared.load(clocks, who(0, 40), 0, &mut [0; 4]).is_err());
    assert_eq!(shared.load(clocks, who(0, 1), 0, &mut [0; 4]), Ok(()));
}

/// Operations of one number that lanes of a warp issued are told apart by proxy.
#[test]
fn the_proxy_of_an_operation_matters() {
    let clocks = &mut BlockClocks::new(0, 64, false);
    let mut shared = SharedMemory::new(4);
    let own = Own { id: 0, pc: 0 };
    for (thread, proxy) in [(0, Proxy::Async), (1, Proxy::Generic)] {
        let agent = clocks.issue(thread, proxy);
        shared.store_async(&agent, own, 0, &[1; 4]).unwrap();
        clocks.acquire(40, &clocks.completed(&agent));
    }
    // The fence is missing between the "cp.async" of thread 1 and the async proxy.
    let agent = clocks.issue(40, Proxy::Async);
    let result = shared.store_async(&agent, own, 0, &[2; 4]);
    assert!(
        matches!(result, Err(AccessFault::Race { other, .. }) if other.thread == 1),
        "{result:?}"
    );
}

#[test]
fn a_launch_forgets_the_one_before() {
    let mut memory = Memory::new();
    let id = memory.add_zeros("x", 4).unwrap();
    let base = memory.address(id).unwrap();
    let store = |block, value: u8, check| {
        let mut clocks = BlockClocks::new(block, 1, false);
        memory.view(&mut clocks, check).store(who(block, 0), base, &[value; 4])
    };
    memory.begin_launch();
    store(0, 1, true).unwrap();
    assert!(matches!(store(1, 2, true), Err(AccessFault::Race { .. })));
    assert_eq!(store(2, 3, false), Ok(()));
    memory.begin_launch();
    assert_eq!(store(3, 4, true), Ok(()));
    assert_eq!(memory.read_back(id).unwrap(), [4; 4]);
}

/// The sets of many blocks stay small: each access takes about as long as the first.
#[test]
fn what_all_blocks_read_needs_two_entries() {
    let mut memory = Memory::new();
    let id = memory.add_zeros("x", 4).unwrap();
    let base = memory.address(id).unwrap();
    memory.begin_launch();
    for block in 0..2000 {
        let mut clocks = BlockClocks::new(block, 128, false);
        for thread in 0..128 {
            let mut view = memory.view(&mut clocks, true);
            view.load(who(block, thread), base, &mut [0; 4]).unwrap();
        }
    }
    for block in [0, 1, 2, 1999, 2000] {
        let mut clocks = BlockClocks::new(block, 128, false);
        let before = memory.read_back(id).unwrap()[0];
        let result = memory
            .view(&mut clocks, true)
            .store(who(block, 0), base, &[before + 1; 4]);
        assert!(matches!(result, Err(AccessFault::Race { .. })), "{block}: {result:?}");
    }
}

#[test]
fn threads_of_the_host_share_memory() {
    const ROUNDS: u64 = 400;
    let mut memory = Memory::new();
    let counter = memory.add_zeros("counter", 8).unwrap();
    let data = memory.add_zeros("data", 2 * PAGE as u64).unwrap();
    let (counter_at, data_at) = (memory.address(counter).unwrap(), memory.address(data).unwrap());
    memory.begin_launch();
    let work = |block: u32| {
        let mut clocks = BlockClocks::new(block, 32, true);
        for round in 0..ROUNDS {
            let mut view = memory.view(&mut clocks, true);
            for lane in 0..32 {
                // A part of each page is the block's own; the counter is everybody's.
                let at = u64::from(block) * 128 + u64::from(lane) * 4 + (round % 2) * PAGE as u64;
                view.store(who(block, lane), data_at + at, &(round as u32).to_le_bytes())
                    .unwrap();
                let (_, fault) = view.atomic(who(block, lane), counter_at, 8, ACQ_REL, &mut |old| old + 1);
                assert_eq!(fault, None);
            }
        }
        // What was last counted came after all that the others had counted.
        let mut view = memory.view(&mut clocks, true);
        view.load(who(block, 31), data_at + u64::from(block) * 128, &mut [0; 4])
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|block| scope.spawn(move || work(block))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), Ok(()));
        }
    });
    let count = memory.read_back(counter).unwrap();
    assert_eq!(u64::from_le_bytes(count.try_into().unwrap()), 2 * 32 * ROUNDS);
    // A third block that has read the counter knows what both did; one that has not does not.
    let load = |block: u32, first: bool| {
        let mut clocks = BlockClocks::new(block, 1, true);
        let mut view = memory.view(&mut clocks, true);
        if first {
            view.atomic(who(block, 0), counter_at, 8, ACQ_REL, &mut |old| old);
        }
        [0, 128].map(|at| view.load(who(block, 0), data_at + at, &mut [0; 4]).is_ok())
    };
    assert_eq!(load(2, true), [true, true]);
    assert_eq!(load(3, false), [false, false]);
}

/// Two warps of one block are not two blocks: what a second block reads is kept beside what they read.
#[test]
fn warps_of_a_block_are_one_block() {
    for atomic in [false, true] {
        let mut memory = Memory::new();
        let id = memory.add_zeros("x", 4).unwrap();
        let base = memory.address(id).unwrap();
        memory.begin_launch();
        let mut first = BlockClocks::new(0, 128, false);
        for thread in [0, 33, 65, 127] {
            memory
                .view(&mut first, true)
                .load(who(0, thread), base, &mut [0; 4])
                .unwrap();
        }
        let mut second = BlockClocks::new(1, 128, false);
        let mut view = memory.view(&mut second, true);
        match atomic {
            false => view.load(who(1, 127), base, &mut [0; 4]).unwrap(),
            true => assert_eq!(view.atomic(who(1, 127), base, 4, ACQ_REL, &mut |old| old), (0, None)),
        }
        drop(view);
        // The first block's own reads are known here.
        first.barrier_all();
        let result = memory.view(&mut first, true).store(who(0, 0), base, &[1; 4]);
        assert!(
            matches!(result, Err(AccessFault::Race { other, .. }) if other.block == 1 && other.thread == 127),
            "{result:?}"
        );
    }
}

/// On any page, and anywhere on it.
#[test]
fn atomics_of_shared_memory_order_what_is_around_them() {
    const SIZE: u32 = 3 * PAGE as u32;
    for at in [0, 4, PAGE as u64, PAGE as u64 + 8, 2 * PAGE as u64 + 4] {
        let clocks = &mut BlockClocks::new(0, 64, false);
        let mut shared = SharedMemory::new(SIZE);
        let data = 2 * PAGE as u64 + 64;
        shared.store(clocks, who(0, 0), at, &[0; 4]).unwrap();
        clocks.barrier_all();
        shared.store(clocks, who(0, 0), data, &[1; 4]).unwrap();
        let mut add = |old: u64| old + 1;
        assert_eq!(shared.atomic(clocks, who(0, 0), at, 4, ACQ_REL, &mut add), (0, None));
        assert!(shared.load(clocks, who(0, 40), data, &mut [0; 4]).is_err());
        assert_eq!(shared.atomic(clocks, who(0, 41), at, 4, ACQ_REL, &mut add), (1, None));
        assert_eq!(shared.load(clocks, who(0, 41), data, &mut [0; 4]), Ok(()), "{at}");
    }
}

/// A race is reported once, for the bytes that both touch: the others still have their writer.
#[test]
fn an_atomic_that_races_leaves_the_other_bytes() {
    let clocks = &mut BlockClocks::new(0, 128, false);
    let mut shared = SharedMemory::new(4);
    shared.store(clocks, who(0, 0), 0, &[1; 4]).unwrap();
    let mut add = |old: u64| old + 1;
    let mut atomic =
        |clocks: &mut BlockClocks, thread| shared.atomic(clocks, who(0, thread), 0, 2, ACQ_REL, &mut add).1;
    assert!(matches!(atomic(clocks, 40), Some(AccessFault::Race { other, .. }) if other.thread == 0));
    assert_eq!(atomic(clocks, 70), None);
    let plain = shared.load(clocks, who(0, 100), 2, &mut [0; 2]);
    assert!(
        matches!(plain, Err(AccessFault::Race { other, .. }) if other.thread == 0),
        "{plain:?}"
    );
    let low = shared.load(clocks, who(0, 100), 0, &mut [0; 2]);
    assert!(
        matches!(low, Err(AccessFault::Race { other, .. }) if other.kind == AccessKind::Atomic),
        "{low:?}"
    );
}

/// A range over several pages is reserved whole, and free again whole.
#[test]
fn ranges_over_pages_are_reserved() {
    let mut memory = Memory::new();
    let id = memory.add_zeros("x", 4 * PAGE as u64).unwrap();
    let base = memory.address(id).unwrap();
    let (start, bytes) = (base + PAGE as u64 - 16, 2 * PAGE as u64 + 32);
    memory.begin_launch();
    let mut clocks = BlockClocks::new(0, 32, false);
    let by = OtherAccess {
        block: 0,
        thread: 3,
        pc: 9,
        kind: AccessKind::Write,
        proxy: Proxy::Async,
    };
    let range = Bytes {
        address: start,
        bytes,
        align: 16,
    };
    let mut view = memory.view(&mut clocks, true);
    view.reserve(5, Reserve::Destination, by, range).unwrap();
    for inside in [start, start + 16, start + PAGE as u64, start + bytes - 4] {
        let result = view.store(who(0, 0), inside, &[1; 4]);
        assert!(matches!(result, Err(AccessFault::InFlight { .. })), "{result:?}");
    }
    for outside in [start - 4, start + bytes] {
        assert_eq!(view.store(who(0, 0), outside, &[1; 4]), Ok(()));
    }
    view.unreserve(5, Reserve::Destination, start, bytes);
    for inside in [start, start + 16, start + PAGE as u64, start + bytes - 4] {
        assert_eq!(view.store(who(0, 0), inside, &[1; 4]), Ok(()));
    }
}
