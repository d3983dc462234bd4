//! Buffers, faults of single accesses, and several threads of the host at once. Races: `model.rs`.

use super::*;

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

#[test]
fn sizes_beyond_the_address_space_or_the_host_are_errors() {
    let mut memory = Memory::new();
    let error = memory.add_zeros("big", u64::MAX / 2).unwrap_err();
    assert!(matches!(error, MemoryError::OutOfMemory { .. }), "{error}");
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
