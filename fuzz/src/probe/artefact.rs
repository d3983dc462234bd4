//! Files of compiled kernels.

use mytriton_abi::CompiledKernel;

/// Where the file's fixed part ends.
const PREFIX: usize = 32;

/// Reads the bytes as they are, and once more with version, lengths and checksum set right, without which no change
/// would get beyond them. What is read is written and read again.
pub fn probe(data: &[u8]) {
    check(data);
    check(&repaired(data));
}

fn check(data: &[u8]) {
    match CompiledKernel::from_bytes(data) {
        Ok(kernel) => {
            let written = kernel.to_bytes().expect("what was read can be written");
            assert_eq!(
                CompiledKernel::from_bytes(&written).expect("what was written can be read"),
                kernel
            );
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The bytes as a file whose fixed part is in order. The header's length stays where it is possible.
fn repaired(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    bytes.resize(bytes.len().max(PREFIX), 0);
    let content = bytes.len() - PREFIX;
    let given = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    // An impossible one means: up to the last brace.
    let brace = bytes[PREFIX..].iter().rposition(|&byte| byte == b'}');
    let header = if given <= content {
        given
    } else {
        brace.map_or(content, |at| at + 1)
    };
    bytes[..8].copy_from_slice(b"MYTRITON");
    bytes[8..12].copy_from_slice(&1u32.to_le_bytes());
    bytes[12..16].copy_from_slice(&(header as u32).to_le_bytes());
    bytes[16..24].copy_from_slice(&((content - header) as u64).to_le_bytes());
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let checksum = bytes[8..24]
        .iter()
        .chain(&bytes[PREFIX..])
        .fold(0xCBF2_9CE4_8422_2325, step);
    bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
    bytes
}
