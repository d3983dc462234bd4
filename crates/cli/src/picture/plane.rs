//! A tile cut into planes of rows and columns, and grids of labelled cells.

use super::colour::Colour;
use mytriton_layout::Coords;

/// A line of a one-dimensional tile.
const LINE: u32 = 32;

/// How much is shown at most.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub planes: usize,
    pub rows: u32,
    pub cells: u32,
}

impl Limits {
    /// On a terminal.
    pub const TEXT: Limits = Limits {
        planes: 4,
        rows: 64,
        cells: 32,
    };
    /// On a page.
    pub const SVG: Limits = Limits {
        planes: 4,
        rows: 128,
        cells: 128,
    };
}

/// Cells in rows, each as wide as the elements it stands for.
pub(super) struct Grid {
    /// What is shown, where that is not all; empty otherwise.
    pub title: String,
    /// The number of the first element of each column of cells.
    pub column_labels: Vec<String>,
    /// Rows with their labels.
    pub rows: Vec<(String, Vec<Cell>)>,
    /// What is not shown; empty if nothing.
    pub omitted: String,
}

/// A cell.
pub(super) struct Cell {
    pub label: String,
    pub fill: Colour,
}

impl Grid {
    /// The planes of a tile: its last two dimensions, one plane for each coordinate of the others. A tile of one
    /// dimension is written in lines. A cell holds `step` elements of a row.
    pub fn of_tile(shape: &[u32], step: u32, limits: Limits, cell: impl Fn(&Coords) -> Cell) -> Vec<Grid> {
        let (outer, rows, columns, line) = match *shape {
            [] => (&shape[..0], 1, 1, None),
            [n] => {
                let line = n.min(LINE.max(step));
                (&shape[..0], n.div_ceil(line), line, Some(line))
            }
            [.., rows, columns] => (&shape[..shape.len() - 2], rows, columns, None),
        };
        let planes: usize = outer.iter().map(|&extent| extent as usize).product();
        let shown_rows = rows.min(limits.rows);
        let cells = columns.div_ceil(step);
        let shown_cells = cells.min(limits.cells);
        let mut omitted = Vec::new();
        let mut omit = |shown: usize, all: usize, what: &str| {
            if shown < all {
                omitted.push(format!("{} more {what}", all - shown));
            }
        };
        omit(shown_rows as usize, rows as usize, "rows");
        omit((shown_cells * step) as usize, columns as usize, "columns");
        omit(limits.planes, planes, "planes");
        let omitted = omitted.join(", ");
        let last = shape.last().copied().unwrap_or(1);
        let grid = |plane: usize| {
            let mut left = plane;
            let mut prefix: Vec<u32> = outer.iter().rev().map(|&extent| digit(&mut left, extent)).collect();
            prefix.reverse();
            let coords = |row: u32, column: u32| -> Coords {
                match line {
                    Some(line) => [row * line + column].into_iter().collect(),
                    None if shape.is_empty() => Coords::new(),
                    None => prefix.iter().copied().chain([row, column]).collect(),
                }
            };
            let row = |row: u32| {
                let places = (0..shown_cells).map(|i| coords(row, i * step));
                let cells = places
                    .filter(|place| line.is_none() || place[0] < last)
                    .map(|place| cell(&place));
                ((row * line.unwrap_or(1)).to_string(), cells.collect())
            };
            let title = match prefix[..] {
                [] => String::new(),
                _ => format!(
                    "plane [{}, :, :]",
                    prefix.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
                ),
            };
            Grid {
                title,
                column_labels: (0..shown_cells).map(|i| (i * step).to_string()).collect(),
                rows: (0..shown_rows).map(row).collect(),
                omitted: omitted.clone(),
            }
        };
        (0..planes.min(limits.planes)).map(grid).collect()
    }
}

/// Takes the last digit of a number off.
fn digit(number: &mut usize, base: u32) -> u32 {
    let digit = *number % base as usize;
    *number /= base as usize;
    digit as u32
}
