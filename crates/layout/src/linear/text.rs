//! The text form of a layout: printing and reading.
//!
//! The grammar stands in [`parser`](crate::parser). Without the second part the outputs are `dim0`, `dim1`, ..., each just large enough for the bases. The printer
//! writes the second part only where that would not give the same layout, so printing and reading round-trip.

use super::{Coords, DimList, LinearLayout, Result};
use crate::parser::{Parsed, Parser};
use crate::{Dim, LayoutError};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for LinearLayout {
    /// The text form on one line; with `{:#}` a list of bases to read, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.fmt_list(f);
        }
        f.write_str("{")?;
        for (i, (name, _)) in self.ins().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = [")?;
            for (j, basis) in self.bases(name.as_str()).enumerate() {
                let comma = if j == 0 { "" } else { ", " };
                write!(f, "{comma}{:?}", &basis[..])?;
            }
            f.write_str("]")?;
        }
        f.write_str("}")?;
        if !self.outs_are_inferable() {
            f.write_str(" -> {")?;
            for (i, (name, size)) in self.outs().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                write!(f, "{comma}{name} = {size}")?;
            }
            f.write_str("}")?;
        }
        Ok(())
    }
}

impl LinearLayout {
    fn outs_are_inferable(&self) -> bool {
        let all = self.columns.iter().fold(0, |all, column| all | column);
        let reach: Coords = self.outs.unpack(all);
        (!self.columns.is_empty() || self.outs.0.is_empty())
            && self
                .outs
                .0
                .iter()
                .zip(&reach)
                .all(|(dim, c)| dim.bits == u32::BITS - c.leading_zeros())
            && self
                .outs
                .0
                .iter()
                .enumerate()
                .all(|(axis, dim)| dim.name == Dim::out(axis))
    }

    fn fmt_list(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, _) in self.ins() {
            let mut any = false;
            for (bit, basis) in self.bases(name.as_str()).enumerate() {
                let coords: Vec<String> = basis.iter().map(u32::to_string).collect();
                writeln!(f, "{name}={} -> ({})", 1u64 << bit, coords.join(", "))?;
                any = true;
            }
            if !any {
                writeln!(f, "{name} has size 1")?;
            }
        }
        let outs: Vec<String> = self
            .outs()
            .map(|(name, size)| format!("{name} (size {size})"))
            .collect();
        write!(f, "outputs: {}", outs.join(", "))
    }

    /// Reads the text form with the outputs `dim0 .. dimN` of `shape`, whatever sizes the bases suggest.
    ///
    /// # Errors
    /// [`Parse`](LayoutError::Parse) with a byte offset, or that of [`from_bases`](Self::from_bases). Sizes written
    /// in the text must be those of `shape`.
    pub fn parse_with_shape(text: &str, shape: &[u32]) -> Result<LinearLayout> {
        Self::from_parsed(&Parser::new(text).whole_layout()?, shape)
    }

    /// A layout that was read, with the outputs `dim0 .. dimN` of `shape`.
    pub fn from_parsed(parsed: &Parsed, shape: &[u32]) -> Result<LinearLayout> {
        let names: Vec<Dim> = (0..shape.len()).map(Dim::out).collect();
        let outs: Vec<(&str, u32)> = names.iter().map(Dim::as_str).zip(shape.iter().copied()).collect();
        let layout = Self::from_bases(parsed.bases(), &outs)?;
        if let Some(written) = &parsed.outs {
            let written: Vec<(&str, u32)> = written.iter().map(|(dim, size)| (dim.as_str(), *size)).collect();
            let written = DimList::new("output", super::sized(&written)?)?;
            if written != layout.outs {
                return Err(super::reshape::differ(&written, &layout.outs));
            }
        }
        Ok(layout)
    }
}

/// Reads the text form:
///
/// ```text
/// layout ::= `{` [input {`,` input}] `}` [`->` `{` [output {`,` output}] `}`]
/// input  ::= name `=` `[` [basis {`,` basis}] `]`
/// basis  ::= number | `[` [number {`,` number}] `]`
/// output ::= name `=` size
/// ```
///
/// Without the second part the outputs are `dim0`, `dim1`, ..., each just large enough for the bases.
impl FromStr for LinearLayout {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self> {
        let parsed = Parser::new(text).whole_layout()?;
        if let Some(outs) = &parsed.outs {
            let outs: Vec<(&str, u32)> = outs.iter().map(|(dim, size)| (dim.as_str(), *size)).collect();
            return Self::from_bases(parsed.bases(), &outs);
        }
        let names: Vec<Dim> = (0..parsed.rank()).map(Dim::out).collect();
        let names: Vec<&str> = names.iter().map(Dim::as_str).collect();
        Self::infer_from_bases(parsed.bases(), &names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<LinearLayout>().unwrap_err().to_string()
    }

    #[test]
    fn text_form_round_trips() {
        for text in [
            "{}",
            "{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}",
            "{register = []} -> {dim0 = 1, dim1 = 1}",
            "{lane = [[1], [0]]} -> {dim0 = 8}",
            "{offset = [[1, 0]]} -> {row = 2, column = 1}",
        ] {
            assert_eq!(text.parse::<LinearLayout>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn one_dimensional_bases_may_be_bare_numbers() {
        let l: LinearLayout = " { register=[1 ,2],lane = [4,0] } ".parse().unwrap();
        assert_eq!(l.to_string(), "{register = [[1], [2]], lane = [[4], [0]]}");
    }

    #[test]
    fn list_form() {
        let l: LinearLayout = "{register = [[0, 1], [8, 0]], warp = []}".parse().unwrap();
        insta::assert_snapshot!(format!("{l:#}"), @r"
        register=1 -> (0, 1)
        register=2 -> (8, 0)
        warp has size 1
        outputs: dim0 (size 16), dim1 (size 2)
        ");
    }

    #[test]
    fn shape_is_taken_from_the_tensor_when_given() {
        let l = LinearLayout::parse_with_shape("{register = [[1, 0]]}", &[4, 2]).unwrap();
        assert_eq!(l.to_string(), "{register = [[1, 0]]} -> {dim0 = 4, dim1 = 2}");
        let e = LinearLayout::parse_with_shape("{lane = [[1, 0], [2, 0], [4, 0], [0, 64]]}", &[8, 32]).unwrap_err();
        assert_eq!(
            e.to_string(),
            "basis lane[3] = [0, 64]: coordinate 1 is outside of 0..32"
        );
        let e = LinearLayout::parse_with_shape("{lane = [[1]]} -> {dim0 = 4}", &[8]).unwrap_err();
        assert_eq!(
            e.to_string(),
            "dimension dim0 has size 4 on the left and 8 on the right"
        );
    }

    #[test]
    fn bad_text_is_located() {
        assert_eq!(error("lane = []"), "at byte 0 of the layout: expected `{`, found `l`");
        assert_eq!(
            error("{lane = [[1, -2]]}"),
            "at byte 13 of the layout: expected a number that is not negative"
        );
        assert_eq!(
            error("{lane = [[1, 2]"),
            "at byte 15 of the layout: expected `,` or `]`"
        );
        assert_eq!(error("{lane"), "at byte 5 of the layout: expected `=`, found the end");
        assert_eq!(
            error("{= []}"),
            "at byte 1 of the layout: expected the name of a dimension"
        );
        assert_eq!(
            error("{a = [5000000000]}"),
            "at byte 6 of the layout: 5000000000 does not fit 32 bits"
        );
        assert_eq!(
            error("{} x"),
            "at byte 3 of the layout: unexpected text after the layout"
        );
        assert_eq!(
            error("{lane = [[1, 0]], warp = [[1]]}"),
            "basis warp[0] = [1]: has 1 coordinates, the layout has 2 output dimensions"
        );
        assert_eq!(error("{lane = [], lane = []}"), "dimension lane is listed twice");
        assert_eq!(
            error("{lane = [[4294967295]]}"),
            "basis lane[0] = [4294967295]: coordinate 0 is outside of 0..2147483648"
        );
        assert_eq!(
            error("{lane = [[1]]} -> {dim0 = 3}"),
            "dimension dim0 has size 3: sizes of a layout are powers of two from 1 to 2^31"
        );
    }
}
