//! A small writer of SVG: rectangles and text.

use super::colour::Colour;
use std::fmt::Write;

/// The width of a character of the monospaced fonts in parts of the font's size, with some room: renderers round it.
pub(super) const ADVANCE: f64 = 0.64;

/// How a text stands at its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The elements of a document.
#[derive(Default)]
pub(super) struct Svg(String);

impl Svg {
    /// A filled rectangle.
    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: Colour) {
        let _ = writeln!(
            self.0,
            r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>"#,
            Tenth(x),
            Tenth(y),
            Tenth(width),
            Tenth(height),
            fill.hex()
        );
    }

    /// A text whose baseline is at `y`.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let _ = writeln!(
            self.0,
            r#"<text x="{}" y="{}" font-size="{}"{anchor}>{}</text>"#,
            Tenth(x),
            Tenth(y),
            Tenth(size),
            escaped(text)
        );
    }

    /// The document, of this size in pixels.
    pub fn finish(self, width: f64, height: f64) -> String {
        let (w, h) = (Tenth(width.ceil()), Tenth(height.ceil()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" fill=\"#1a1a1a\">\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.0
        )
    }
}

/// A length with one decimal, and none where it is 0.
struct Tenth(f64);

impl std::fmt::Display for Tenth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            rest => write!(f, "{}.{}", tenths / 10, rest.abs()),
        }
    }
}

/// Text with the characters that XML reserves replaced, and those that it forbids left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b> & \"c\"\u{7}\u{fffe}"), "a&lt;b&gt; &amp; &quot;c&quot;");
    }

    #[test]
    fn lengths_have_one_decimal() {
        let shown = [0.0, 2.04, 2.06, 10.0, 0.55, 123.96].map(|x| Tenth(x).to_string());
        assert_eq!(shown, ["0", "2", "2.1", "10", "0.6", "124"]);
    }
}
