//! Layouts of the command `mytriton layout`.

use crate::picture::{AnyLayout, Picture, TextError, parse_shape};

/// Pictures of more indices than this only take long.
const MAX_PICTURE_BITS: u32 = 12;

/// The lines are a shape, the bits of an element, a layout, and perhaps one that is to be converted to.
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n');
    let mut next = || lines.next().unwrap_or_default();
    let (shape, bits, layout) = (next(), next(), next());
    let Ok(shape) = parse_shape(shape).map_err(|error| shows(&error, shape)) else {
        return;
    };
    let bits = bits.parse().unwrap_or(32);
    let read = |text: &str| {
        let layout = AnyLayout::parse(text, &shape, bits)
            .map_err(|error| shows(&error, text))
            .ok()?;
        let printed = layout.to_string();
        let again = AnyLayout::parse(&printed, &shape, bits);
        assert_eq!(again.as_ref(), Ok(&layout), "{text:?} is printed as {printed}");
        Some(layout)
    };
    let (Some(layout), to) = (read(layout), lines.next().and_then(read)) else {
        return;
    };
    let small = |layout: &AnyLayout| layout.linear().total_in_bits() <= MAX_PICTURE_BITS;
    if small(&layout)
        && to.as_ref().is_none_or(small)
        && let Ok(picture) = Picture::new(layout, to, &shape, bits)
    {
        assert!(!picture.text(false).is_empty());
        assert!(picture.svg().ends_with("</svg>\n"));
    }
}

/// The place of an error is one in the text.
fn shows(error: &TextError, text: &str) {
    assert!(!error.message.is_empty());
    assert!(text.get(error.span.clone()).is_some(), "{:?} of {text:?}", error.span);
}
