//! Grids as text.

use super::colour::Colour;
use super::plane::Grid;
use std::fmt::Write;

/// Columns of cells, right-aligned, under the numbers of their first elements.
pub(super) fn table(grid: &Grid, colour: bool) -> String {
    let mut text = String::new();
    if !grid.title.is_empty() {
        let _ = writeln!(text, "{}", grid.title);
    }
    let cells = grid
        .rows
        .iter()
        .flat_map(|(_, cells)| cells)
        .map(|cell| cell.label.len());
    let width = cells
        .chain(grid.column_labels.iter().map(String::len))
        .max()
        .unwrap_or(0);
    let margin = grid.rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let _ = write!(text, "{:margin$}", "");
    for label in &grid.column_labels {
        let _ = write!(text, "  {label:>width$}");
    }
    text.push('\n');
    for (label, cells) in &grid.rows {
        let _ = write!(text, "{label:>margin$}");
        for cell in cells {
            let padded = format!("{:>width$}", cell.label);
            let _ = write!(text, "  {}", painted(&padded, cell.fill, colour));
        }
        text.push('\n');
    }
    if !grid.omitted.is_empty() {
        let _ = writeln!(text, "... {}", grid.omitted);
    }
    text
}

/// Black on a colour, on terminals that have colours.
pub(super) fn painted(text: &str, fill: Colour, colour: bool) -> String {
    if colour {
        format!("\x1b[38;5;16;48;5;{}m{text}\x1b[0m", fill.terminal())
    } else {
        text.to_owned()
    }
}
