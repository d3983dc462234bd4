//! What the PTX of a kernel says about its accesses.

use std::collections::BTreeMap;

/// Counts the instructions in PTX that access global memory, by bytes that each thread accesses: loads, stores.
pub fn global_accesses(ptx: &str) -> (BTreeMap<u32, usize>, BTreeMap<u32, usize>) {
    let (mut loads, mut stores) = (BTreeMap::new(), BTreeMap::new());
    for line in ptx.lines() {
        let line = line.trim_start();
        // `@%p1 ld.global...`: a guarded one.
        let line = match line.strip_prefix('@') {
            Some(guarded) => guarded
                .split_once(char::is_whitespace)
                .map_or("", |(_, rest)| rest.trim_start()),
            None => line,
        };
        let opcode = line.split(char::is_whitespace).next().unwrap_or_default();
        let counts = match opcode.split_once(".global") {
            Some(("ld" | "ld.relaxed" | "ld.volatile", _)) => &mut loads,
            Some(("st" | "st.relaxed" | "st.volatile", _)) => &mut stores,
            _ => continue,
        };
        if let Some(bytes) = bytes_of(opcode) {
            *counts.entry(bytes).or_default() += 1;
        }
    }
    (loads, stores)
}

/// Of `.v4.b32` 16, of `.u16` 2.
fn bytes_of(opcode: &str) -> Option<u32> {
    let mut lanes = 1;
    let mut bits = None;
    for modifier in opcode.split('.').skip(1) {
        let number = |from: usize| modifier.get(from..).and_then(|digits| digits.parse::<u32>().ok());
        match modifier.as_bytes().first() {
            Some(b'v') => lanes = number(1).unwrap_or(lanes),
            Some(b'b' | b'u' | b's' | b'f') => bits = number(1).or(bits),
            _ => {}
        }
    }
    Some(lanes * bits? / 8)
}

#[cfg(test)]
mod tests {
    use super::global_accesses;

    #[test]
    fn counts_accesses_by_their_width() {
        let ptx = "
\t@%p1 ld.global.v4.b32 \t{%r1, %r2, %r3, %r4}, [%rd1];
\tld.global.nc.L1::no_allocate.v2.f32 {%f1, %f2}, [%rd1];
\tld.global.b16 %rs1, [%rd1];
\tld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r9];
\tld.param.b64 %rd1, [kernel_param_0];
\t@!%p2 st.global.v2.b64 [%rd2], {%rd3, %rd4};
\tst.global.v4.b32 [%rd2], {%r1, %r2, %r3, %r4};
\tst.shared.b32 [%r9], %r1;";
        let (loads, stores) = global_accesses(ptx);
        assert_eq!(Vec::from_iter(loads), [(2, 1), (8, 1), (16, 1)]);
        assert_eq!(Vec::from_iter(stores), [(16, 2)]);
    }
}
