//! The tables: Markdown whose columns are aligned, to be read as it is and to be pasted.

use std::fmt::Write;

use super::{Case, Code, Facts, Record, Role, Unit};

/// The whole report.
pub fn markdown(record: &Record) -> String {
    let mut text = facts(&record.facts);
    if !record.complete {
        text.push_str("\nThe run was cut off: this is what it had measured.\n");
    }
    let throughput: Vec<&Case> = of_units(record, |unit| unit == Unit::GigabytesPerSecond);
    if !throughput.is_empty() {
        let head = [
            "GB/s",
            "mytriton",
            "of copy",
            "torch",
            "Triton",
            "copy",
            "to best peer",
            "noise",
        ];
        text.push_str("\nBytes count each operand once. The copy is the driver's, of as many bytes.\n\n");
        text.push_str(&table(&head, throughput.iter().map(|case| throughput_row(case))));
    }
    let times: Vec<&Case> = of_units(record, |unit| unit != Unit::GigabytesPerSecond);
    if !times.is_empty() {
        let head = ["time", "", "mytriton", "best peer", "floor", "times as fast"];
        text.push('\n');
        text.push_str(&table(&head, times.iter().map(|case| time_row(case))));
    }
    let code = record.cases.iter().filter_map(code_row);
    let rows: Vec<_> = code.collect();
    if !rows.is_empty() {
        let head = [
            "code",
            "chosen",
            "Triton's",
            "registers",
            "local",
            "shared",
            "loads",
            "stores",
        ];
        text.push_str("\nLocal and shared memory in bytes; loads and stores in the PTX as number x bytes.\n\n");
        text.push_str(&table(&head, rows.into_iter()));
    }
    for case in &record.cases {
        for problem in &case.problems {
            let _ = write!(text, "\n{}: {problem}\n", case.title());
        }
    }
    text
}

fn of_units(record: &Record, wanted: impl Fn(Unit) -> bool) -> Vec<&Case> {
    // A case of which nothing was measured has its problem listed.
    let measured = |case: &&Case| wanted(case.unit) && !case.entries.is_empty();
    record.cases.iter().filter(measured).collect()
}

fn facts(facts: &Facts) -> String {
    let mut text = format!(
        "Commit {}; {} ({}), driver {}",
        facts.commit, facts.device, facts.target, facts.driver
    );
    for (name, version) in &facts.peers {
        let _ = write!(text, "; {name} {version}");
    }
    let _ = writeln!(
        text,
        ". Medians of {} x {} launches; inputs of seed {}.",
        facts.rounds, facts.repetitions, facts.seed
    );
    if let Some(reason) = &facts.without_peers {
        let _ = writeln!(text, "\nWithout peers: {reason}.");
    }
    text
}

fn throughput_row(case: &Case) -> Vec<String> {
    let value = |wanted: &dyn Fn(&super::Entry) -> bool| {
        let mut entries = case.entries.iter().filter(|entry| wanted(entry));
        entries
            .next()
            .map_or_else(missing, |entry| format!("{:.0}", entry.value))
    };
    let ours = case.best(Role::Ours);
    vec![
        case.title(),
        ours.map_or_else(missing, |entry| format!("{:.0}", entry.value)),
        percent(ours.and_then(|entry| case.of_copy(entry))),
        value(&|entry| entry.who == "torch"),
        value(&|entry| entry.who == "triton"),
        value(&|entry| entry.role == Role::Yardstick),
        case.ratio().map_or_else(missing, |ratio| format!("{ratio:.3}")),
        percent(case.noise()),
    ]
}

fn time_row(case: &Case) -> Vec<String> {
    let figure = |role| {
        let named = |entry: &super::Entry| match role {
            Role::Ours => format!("{:.3}", entry.value),
            _ => format!("{:.3} ({})", entry.value, entry.who),
        };
        case.best(role).map_or_else(missing, named)
    };
    vec![
        case.title(),
        case.unit.name().to_owned(),
        figure(Role::Ours),
        figure(Role::Peer),
        figure(Role::Yardstick),
        case.ratio().map_or_else(missing, |ratio| format!("{ratio:.2}")),
    ]
}

fn code_row(case: &Case) -> Option<Vec<String>> {
    let ours = case.best(Role::Ours)?;
    let code: &Code = ours.code.as_ref()?;
    let accesses = |widths: &std::collections::BTreeMap<u32, usize>| {
        let each: Vec<_> = widths.iter().rev().map(|(bytes, n)| format!("{n} x {bytes}")).collect();
        each.join(", ")
    };
    let triton = case.entries.iter().find(|entry| entry.who == "triton");
    Some(vec![
        case.title(),
        ours.config.clone(),
        triton.map_or_else(missing, |entry| entry.config.clone()),
        code.registers.to_string(),
        code.local_bytes.to_string(),
        code.shared_bytes.to_string(),
        accesses(&code.loads),
        accesses(&code.stores),
    ])
}

fn missing() -> String {
    "-".to_owned()
}

fn percent(part: Option<f64>) -> String {
    part.map_or_else(missing, |part| format!("{:.1}%", part * 100.0))
}

/// A table whose columns are as wide as their longest cell. The first column is text, the others are to the right.
fn table<const N: usize>(head: &[&str; N], rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.chars().count())
            .chain([head[column].len(), 2])
            .max()
            .unwrap_or(2)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        for (column, (cell, width)) in cells.zip(widths).enumerate() {
            let _ = match column {
                0 => write!(text, "| {cell:<width$} |"),
                _ => write!(text, " {cell:>width$} |"),
            };
        }
        text.push('\n');
    };
    line(&mut head.iter().copied());
    let rules: [String; N] = std::array::from_fn(|column| match column {
        0 => "-".repeat(widths[column]),
        _ => format!("{}:", "-".repeat(widths[column] - 1)),
    });
    line(&mut rules.iter().map(String::as_str));
    for row in &rows {
        line(&mut row.iter().map(String::as_str));
    }
    text
}
