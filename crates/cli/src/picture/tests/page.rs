//! What the page on layouts shows is what the program prints.

use super::super::{AnyLayout, Picture, parse_shape};

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/layouts.md"));

/// The words of a command line; quotes keep blanks.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// What `mytriton layout` prints.
fn printed(command: &str) -> String {
    let words = words(command);
    assert_eq!(words[..3], ["$", "mytriton", "layout"], "{command}");
    let option = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        Some(words[at + 1].as_str())
    };
    let bits = option("--elem-bits").map_or(32, |bits| bits.parse().unwrap());
    let shape = parse_shape(option("--shape").unwrap()).unwrap();
    let read = |text: &str| AnyLayout::parse(text, &shape, bits).unwrap();
    let picture = Picture::new(read(&words[3]), option("--to").map(read), &shape, bits).unwrap();
    picture.text(false)
}

#[test]
fn the_page_shows_what_is_printed() {
    let mut shown = 0;
    for block in PAGE.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let (command, output) = block.split_once('\n').unwrap();
        assert_eq!(output, printed(command), "the output of `{command}` in docs/layouts.md");
        shown += 1;
    }
    assert_eq!(shown, 9, "blocks of the page");
}

#[test]
fn every_form_of_the_page_can_be_read() {
    let table = PAGE.split("| text | layout |").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut read = 0;
    for row in rows {
        let cell = row.split('|').nth(1).unwrap();
        for text in cell.split('`').skip(1).step_by(2) {
            let shapes: [&[u32]; 4] = [&[2, 2], &[16], &[64, 128], &[16, 64]];
            let found = shapes.iter().any(|shape| AnyLayout::parse(text, shape, 16).is_ok());
            assert!(found, "{text}");
            read += 1;
        }
    }
    assert_eq!(read, 10);
}
