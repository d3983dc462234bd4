//! Grids as SVG: panels on a page.

use super::colour::Colour;
use super::plane::Grid;
use super::svg::{ADVANCE, Anchor, Svg};

/// Around the page, and between panels.
const GAP: f64 = 24.0;
/// Size of ordinary text; a line takes half as much again.
const TEXT: f64 = 11.0;
const LINE: f64 = 16.0;
/// Size of titles.
const TITLE: f64 = 14.0;
/// Labels shrink down to this size, then are left out.
const SMALLEST: f64 = 6.0;
/// A grid is not wider.
const WIDEST: f64 = 1600.0;
/// Notes are wrapped at this width, or the grid's.
const COLUMN: f64 = 520.0;
/// Swatches of a legend.
const SWATCH: f64 = 12.0;

/// A grid with what belongs to it.
pub(super) struct Panel {
    pub title: String,
    /// Lines of text above the grid.
    pub notes: Vec<String>,
    /// What a label means.
    pub key: String,
    pub grid: Grid,
    /// What a colour means.
    pub legend: Vec<(Colour, String)>,
}

/// Rows of panels, from top to bottom.
pub(super) struct Page {
    svg: Svg,
    width: f64,
    y: f64,
}

impl Page {
    /// An empty page.
    pub fn new() -> Self {
        Page {
            svg: Svg::default(),
            width: 0.0,
            y: GAP,
        }
    }

    /// Lines across the page.
    pub fn heading(&mut self, title: &str, lines: &[String]) {
        self.svg.text(GAP, self.y + TITLE, TITLE, Anchor::Start, title);
        self.y += TITLE + 6.0;
        self.width = self.width.max(text_width(title, TITLE));
        for line in lines {
            for line in wrapped(line, 2.0 * COLUMN) {
                self.svg.text(GAP, self.y + TEXT, TEXT, Anchor::Start, &line);
                self.width = self.width.max(text_width(&line, TEXT));
                self.y += LINE;
            }
        }
        self.y += GAP / 2.0;
    }

    /// Panels side by side.
    pub fn row(&mut self, panels: Vec<Panel>) {
        let (mut x, mut bottom) = (GAP, self.y);
        for panel in panels {
            let (width, height) = panel.draw(&mut self.svg, x, self.y);
            x += width + 2.0 * GAP;
            bottom = bottom.max(self.y + height);
        }
        self.width = self.width.max(x - 3.0 * GAP);
        self.y = bottom + GAP;
    }

    /// The document.
    pub fn finish(self) -> String {
        self.svg.finish(self.width + 2.0 * GAP, self.y)
    }
}

/// Sizes of a grid's cells in pixels.
struct Cells {
    width: f64,
    height: f64,
    /// Size of the labels, if there is room for any.
    label: Option<f64>,
}

impl Cells {
    fn of(grid: &Grid) -> Cells {
        let columns = grid.column_labels.len().max(1) as f64;
        let labels = grid.rows.iter().flat_map(|(_, cells)| cells);
        let longest = labels.map(|cell| cell.label.len()).max().unwrap_or(0);
        let room = WIDEST / columns;
        let size = (room / (longest as f64 * ADVANCE + 0.9)).min(TEXT);
        if size >= SMALLEST {
            let width = (size * (longest as f64 * ADVANCE + 0.9)).max(18.0_f64.min(room));
            let height = (size * 1.75).ceil();
            return Cells {
                width: width.ceil(),
                height,
                label: Some(size),
            };
        }
        let width = room.clamp(3.0, 18.0).floor();
        Cells {
            width,
            height: width,
            label: None,
        }
    }
}

impl Panel {
    /// Draws at a point; gives the size.
    fn draw(&self, svg: &mut Svg, left: f64, top: f64) -> (f64, f64) {
        let cells = Cells::of(&self.grid);
        let margin = self.grid.rows.iter().map(|(label, _)| label.len()).max().unwrap_or(0) as f64;
        let margin = (margin * TEXT * ADVANCE + 8.0).ceil();
        let columns = self.grid.column_labels.len() as f64;
        let mut width = margin + columns * cells.width;
        let mut y = top;
        let mut line = |svg: &mut Svg, y: &mut f64, size: f64, text: &str| {
            svg.text(left, *y + size, size, Anchor::Start, text);
            width = width.max(text_width(text, size));
            *y += size + 5.0;
        };
        let title = [&self.title[..], &self.grid.title].join(if self.grid.title.is_empty() { "" } else { ", " });
        line(svg, &mut y, TITLE, &title);
        let column = COLUMN.max(margin + columns * cells.width);
        for note in &self.notes {
            for text in wrapped(note, column) {
                line(svg, &mut y, TEXT, &text);
            }
        }
        let key = match cells.label {
            Some(_) => self.key.clone(),
            None => format!("{} (no room for labels)", self.key),
        };
        line(svg, &mut y, TEXT, &key);
        y += 6.0;
        y = self.draw_grid(svg, &cells, left + margin, y);
        if !self.grid.omitted.is_empty() {
            line(svg, &mut y, TEXT, &format!("... {}", self.grid.omitted));
        }
        y = self.draw_legend(svg, left, y + 8.0, column);
        (width, y - top)
    }

    fn draw_grid(&self, svg: &mut Svg, cells: &Cells, left: f64, top: f64) -> f64 {
        let widest = self.grid.column_labels.iter().map(String::len).max().unwrap_or(0);
        let every = thinned((widest as f64 + 1.0) * TEXT * ADVANCE, cells.width);
        for (i, label) in self.grid.column_labels.iter().enumerate().step_by(every) {
            let x = left + (i as f64 + 0.5) * cells.width;
            svg.text(x, top + TEXT, TEXT, Anchor::Middle, label);
        }
        let top = top + LINE;
        let every = thinned(TEXT + 1.0, cells.height);
        for (i, (label, row)) in self.grid.rows.iter().enumerate() {
            let y = top + i as f64 * cells.height;
            if i % every == 0 {
                let x = left - 6.0;
                svg.text(x, y + cells.height / 2.0 + TEXT * 0.36, TEXT, Anchor::End, label);
            }
            // A gap of half a pixel tells cells of one colour apart.
            let gap = if cells.label.is_some() { 1.0 } else { 0.5 };
            for (j, cell) in row.iter().enumerate() {
                let x = left + j as f64 * cells.width;
                svg.rect(x, y, cells.width - gap, cells.height - gap, cell.fill);
                if let Some(size) = cells.label {
                    let (x, y) = (x + (cells.width - gap) / 2.0, y + cells.height / 2.0 + size * 0.33);
                    svg.text(x, y, size, Anchor::Middle, &cell.label);
                }
            }
        }
        top + self.grid.rows.len() as f64 * cells.height
    }

    fn draw_legend(&self, svg: &mut Svg, left: f64, top: f64, width: f64) -> f64 {
        let (mut x, mut y) = (left, top);
        for (fill, text) in &self.legend {
            let needed = SWATCH + 6.0 + text_width(text, TEXT) + 14.0;
            if x > left && x + needed > left + width {
                (x, y) = (left, y + LINE + 2.0);
            }
            svg.rect(x, y, SWATCH, SWATCH, *fill);
            svg.text(x + SWATCH + 5.0, y + TEXT - 1.0, TEXT, Anchor::Start, text);
            x += needed;
        }
        if self.legend.is_empty() { y } else { y + LINE }
    }
}

/// Every how many places, each of `step`, there is room for a label: a power of two.
fn thinned(label: f64, step: f64) -> usize {
    ((label / step).ceil().max(1.0) as usize).next_power_of_two()
}

fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * ADVANCE
}

/// Lines of at most `width` pixels, broken at blanks, but not within a basis: not after a number.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let most = (width / (TEXT * ADVANCE)) as usize;
    let mut lines = vec![String::new()];
    let mut start = 0;
    for (at, _) in text.match_indices(' ').chain([(text.len(), "")]) {
        let before = &text.as_bytes()[..at];
        if at < text.len() && before.ends_with(b",") && before[..at - 1].last().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        let part = &text[start..at];
        start = at + 1;
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(part),
            Some(line) if line.chars().count() + 1 + part.chars().count() <= most => {
                line.push(' ');
                line.push_str(part);
            }
            _ => lines.push(part.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_bases() {
        let width = 16.0 * TEXT * ADVANCE;
        let lines = wrapped("{lane = [[0, 1], [10, 20]], warp = []}", width);
        assert_eq!(lines, ["{lane = [[0, 1],", "[10, 20]], warp", "= []}"]);
        assert_eq!(wrapped("a  b", width), ["a  b"], "columns stay aligned");
        assert_eq!(wrapped("", width), [""]);
    }
}
