//! What the SIMT executor counted, as tables.

use std::time::Duration;

use mytriton::simt::program::Space;
use mytriton::simt::report::{AccessCount, Report};

/// What a kernel needs of the hardware, and of the executor.
pub struct Footprint<'a> {
    /// Warps of a block.
    pub num_warps: u32,
    /// Threads of all blocks.
    pub threads: u64,
    /// What was counted.
    pub report: &'a Report,
    /// How long the run took.
    pub elapsed: Duration,
}

/// Lines of a table: the first one is the head. The first `left` columns begin at the same place, the others end there.
fn table(title: &str, left: usize, lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| lines.iter().filter_map(move |line| line.get(column));
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = format!("{title}\n");
    for line in lines {
        let mut row = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            row += &if column < left {
                format!("  {cell:width$}")
            } else {
                format!("  {cell:>width$}")
            };
        }
        text += row.trim_end();
        text.push('\n');
    }
    text
}

fn head<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

/// A line for each run: shared memory, registers, instructions.
pub fn footprints(footprints: &[Footprint<'_>]) -> String {
    let mut lines = vec![head([
        "num_warps",
        "shared bytes",
        "live registers",
        "instructions/thread",
        "million instructions/s",
    ])];
    for footprint in footprints {
        let report = footprint.report;
        let speed = report.thread_instructions as f64 / footprint.elapsed.as_secs_f64().max(1e-9) / 1e6;
        lines.push(vec![
            footprint.num_warps.to_string(),
            report.shared_bytes.to_string(),
            report.live_words.to_string(),
            (report.thread_instructions / footprint.threads.max(1)).to_string(),
            format!("{speed:.0}"),
        ]);
    }
    table("footprints (registers of 32 bits, alive at once)", 0, &lines)
}

/// A line for each operation that accesses memory.
pub fn accesses(accesses: &[AccessCount]) -> String {
    let title = "memory accesses of warps (global in sectors of 32 bytes, shared in wavefronts of the 32 banks)";
    if accesses.is_empty() {
        return format!("{title}\n  none\n");
    }
    let mut lines = vec![head([
        "place",
        "operation",
        "memory",
        "access",
        "bytes/lane",
        "accesses",
        "transactions",
        "ideal",
        "excess",
    ])];
    for access in accesses {
        let place = match &access.place.at {
            Some((file, line, _)) => format!("{file}:{line}"),
            None => "?".to_owned(),
        };
        let memory = match access.space {
            Space::Global => "global",
            Space::Shared => "shared",
        };
        lines.push(vec![
            place,
            access.place.op.clone(),
            memory.to_owned(),
            if access.store { "store" } else { "load" }.to_owned(),
            access.bytes.to_string(),
            access.warps.to_string(),
            access.transactions.to_string(),
            access.ideal.to_string(),
            access.excess().to_string(),
        ]);
    }
    table(title, 4, &lines)
}

#[cfg(test)]
mod tests {
    use mytriton::simt::program::Place;

    use super::*;

    #[test]
    fn columns_are_aligned() {
        let access = |op: &str, store: bool, bytes, transactions| AccessCount {
            place: Place {
                op: op.to_owned(),
                at: store.then(|| ("k.ssa".into(), 12, 3)),
            },
            space: if store { Space::Global } else { Space::Shared },
            store,
            bytes,
            warps: 4,
            lanes: 128,
            transactions,
            ideal: 4,
        };
        insta::assert_snapshot!(accesses(&[access("memref.load", false, 4, 128), access("vector.store", true, 16, 4)]), @r"
        memory accesses of warps (global in sectors of 32 bytes, shared in wavefronts of the 32 banks)
          place     operation     memory  access  bytes/lane  accesses  transactions  ideal  excess
          ?         memref.load   shared  load             4         4           128      4     124
          k.ssa:12  vector.store  global  store           16         4             4      4       0
        ");
        insta::assert_snapshot!(accesses(&[]), @r"
        memory accesses of warps (global in sectors of 32 bytes, shared in wavefronts of the 32 banks)
          none
        ");
        let report = Report {
            thread_instructions: 4_000_000,
            shared_bytes: 512,
            live_words: 17,
            ..Report::default()
        };
        let footprint = |num_warps| Footprint {
            num_warps,
            threads: 1000,
            report: &report,
            elapsed: Duration::from_millis(100),
        };
        insta::assert_snapshot!(footprints(&[footprint(4), footprint(16)]), @r"
        footprints (registers of 32 bits, alive at once)
          num_warps  shared bytes  live registers  instructions/thread  million instructions/s
                  4           512              17                 4000                      40
                 16           512              17                 4000                      40
        ");
    }
}
