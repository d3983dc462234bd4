//! The plot: one group of bars for each benchmark, as a part of what a copy reaches.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Case, Entry, Record, Role, Unit};

const WIDTH: u32 = 1000;
/// Left of the bars: the benchmarks' names.
const NAMES: i32 = 250;
/// Right of the bars: the column of figures, beyond the axis so that they cross none of its lines.
const FIGURES: i32 = 60;
/// Between text and the edges of the picture.
const MARGIN: i32 = 16;
/// The middle of the line with the legend.
const LEGEND: i32 = 53;
/// Bars begin here.
const TOP: i32 = 78;
/// Below the bars: the axis' labels.
const LABELS: i32 = 34;
/// The height of a bar, and the side of a square of the legend.
const BAR: i32 = 11;
/// Between groups.
const GAP: i32 = 10;
/// The axis ends here: a copy is 1.
const END: f64 = 1.1;

const INK: RGBColor = RGBColor(0x26, 0x2b, 0x33);
const FAINT: RGBColor = RGBColor(0xd6, 0xda, 0xe0);

/// Who has bars, and in which colour. Ours are the dark ones.
const SERIES: [(&str, RGBColor); 3] = [
    ("mytriton", RGBColor(0x1f, 0x4e, 0x9c)),
    ("triton", RGBColor(0xe0, 0x8a, 0x1e)),
    ("torch", RGBColor(0x9a, 0xa3, 0xae)),
];

/// The plot as SVG; nothing where no throughput was measured beside a copy.
pub fn svg(record: &Record) -> Result<Option<String>> {
    let has_parts = |case: &&Case| case.unit == Unit::GigabytesPerSecond && case.best(Role::Yardstick).is_some();
    let cases: Vec<&Case> = record.cases.iter().filter(has_parts).collect();
    if cases.is_empty() {
        return Ok(None);
    }
    let present: Vec<_> = SERIES
        .into_iter()
        .filter(|(who, _)| cases.iter().any(|case| entry(case, who).is_some()))
        .collect();
    let group = BAR * present.len() as i32 + GAP;
    let bottom = TOP + group * cases.len() as i32;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, (bottom + LABELS) as u32)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        frame(&root, record, &present, bottom).map_err(failed)?;
        for (index, case) in cases.iter().enumerate() {
            bars(&root, case, &present, TOP + group * index as i32).map_err(failed)?;
        }
        root.present().map_err(failed)?;
    }
    Ok(Some(text))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("cannot draw the plot: {error}")
}

fn entry<'a>(case: &'a Case, who: &str) -> Option<&'a Entry> {
    case.entries.iter().find(|entry| entry.who == who)
}

/// Where a part of the copy's throughput is.
fn x_of(part: f64) -> i32 {
    let width = f64::from(WIDTH as i32 - NAMES - FIGURES);
    NAMES + (part.clamp(0.0, END) / END * width).round() as i32
}

fn style(size: i32, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let font = ("sans-serif", size).into_font();
    TextStyle::from(font).color(&INK).pos(Pos::new(horizontal, vertical))
}

/// Title, legend, and the lines of the axis.
fn frame<'a>(root: &Area<'a>, record: &Record, present: &[(&str, RGBColor)], bottom: i32) -> Drawn<'a> {
    let title = format!("{}: throughput as a part of a copy's", record.facts.device);
    root.draw(&Text::new(title, (MARGIN, 14), style(17, HPos::Left, VPos::Top)))?;
    let unit = Text::new(
        "GB/s",
        (WIDTH as i32 - MARGIN, LEGEND),
        style(12, HPos::Right, VPos::Center),
    );
    root.draw(&unit)?;
    let mut x = NAMES;
    for (who, colour) in present {
        root.draw(&Rectangle::new(
            [(x, LEGEND - 6), (x + BAR, LEGEND - 6 + BAR)],
            colour.filled(),
        ))?;
        root.draw(&Text::new(
            (*who).to_owned(),
            (x + BAR + 5, LEGEND),
            style(12, HPos::Left, VPos::Center),
        ))?;
        x += 100;
    }
    for percent in [0, 20, 40, 60, 80, 100] {
        let x = x_of(f64::from(percent) / 100.0);
        let colour = if percent == 100 { INK } else { FAINT };
        root.draw(&PathElement::new(vec![(x, TOP - 6), (x, bottom)], colour))?;
        let label = format!("{percent}%");
        root.draw(&Text::new(label, (x, bottom + 6), style(11, HPos::Center, VPos::Top)))?;
    }
    Ok(())
}

fn bars<'a>(root: &Area<'a>, case: &Case, present: &[(&str, RGBColor)], top: i32) -> Drawn<'a> {
    let middle = top + BAR * present.len() as i32 / 2;
    root.draw(&Text::new(
        case.title(),
        (NAMES - 10, middle),
        style(12, HPos::Right, VPos::Center),
    ))?;
    for (index, (who, colour)) in present.iter().enumerate() {
        let Some((entry, part)) = entry(case, who).and_then(|entry| Some((entry, case.of_copy(entry)?))) else {
            continue;
        };
        let y = top + BAR * index as i32;
        let end = x_of(part);
        root.draw(&Rectangle::new([(NAMES, y), (end, y + BAR - 1)], colour.filled()))?;
        let label = format!("{:.0}", entry.value);
        root.draw(&Text::new(
            label,
            (WIDTH as i32 - MARGIN, y + BAR / 2),
            style(10, HPos::Right, VPos::Center),
        ))?;
    }
    Ok(())
}
