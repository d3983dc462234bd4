//! What the build script writes for forms of operands and attributes, those included that the dialect does not use yet.

#[path = "../build/generate.rs"]
mod generate;
#[path = "../build/model.rs"]
mod model;

use generate::module;
use model::{Arity, Attribute, AttributeKind, Named, Op, Operand};

fn op(operands: &[(&str, Arity)], attributes: &[(&str, AttributeKind, bool)], segmented: bool) -> Op {
    Op {
        name: "tile.do_it".to_owned(),
        class: "DoItOp".to_owned(),
        summary: "does [it] to `T<N>`.".to_owned(),
        operands: operands
            .iter()
            .map(|&(name, arity)| Operand {
                name: name.to_owned(),
                summary: "a tile".to_owned(),
                arity,
            })
            .collect(),
        attributes: attributes
            .iter()
            .map(|&(name, kind, optional)| Attribute {
                name: name.to_owned(),
                summary: "a number".to_owned(),
                kind,
                optional,
            })
            .collect(),
        segmented,
        results: vec![Named {
            name: "result".to_owned(),
            summary: "a tile".to_owned(),
        }],
        many_results: false,
        regions: Vec::new(),
    }
}

/// The lines that contain one of `words`.
fn lines(op: Op, words: &[&str]) -> String {
    let text = module(&[op]);
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| words.iter().any(|word| line.contains(word)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn whole_operation() {
    insta::assert_snapshot!(module(&[op(
        &[("source", Arity::One)],
        &[("axis", AttributeKind::I32, false)],
        false
    )]));
}

#[test]
fn segments_are_read_from_their_sizes() {
    let operands = [
        ("a", Arity::One),
        ("mask", Arity::Optional),
        ("others", Arity::Variadic),
        ("last", Arity::One),
    ];
    insta::assert_snapshot!(
        lines(op(&operands, &[], true), &["operand(", "optional(", "collect", "SEGMENT"]),
        @r#"
        operand(self.0, 0)
        optional(self.0, segment(self.0, 1))
        segment(self.0, 2).map(move |index| operand(self.0, index))
        operand(self.0, segment(self.0, 3).start)
        &[a].into_iter().chain(mask).chain(others.iter().copied()).chain([last]).collect::<Vec<_>>(),
        &[(SEGMENT_SIZES, segment_sizes(self.context, &[1, usize::from(mask.is_some()), others.len(), 1]))],
        "#
    );
}

#[test]
fn operands_behind_a_varying_one_are_counted_from_the_end() {
    let operands = [("a", Arity::One), ("others", Arity::Variadic), ("last", Arity::One)];
    insta::assert_snapshot!(lines(op(&operands, &[], false), &["operand(", "collect"]), @r#"
        operand(self.0, 0)
        (1..self.0.operand_count() - 1).map(move |index| operand(self.0, index))
        operand(self.0, self.0.operand_count() - 1)
        &[a].into_iter().chain(others.iter().copied()).chain([last]).collect::<Vec<_>>(),
        "#);
}

#[test]
fn optional_attributes_are_left_out() {
    let attributes = [
        ("limitOfIt", AttributeKind::I64, true),
        ("type", AttributeKind::Any, false),
    ];
    let words = ["limit_of_it", "limitOfIt", "r#type"];
    insta::assert_snapshot!(lines(op(&[], &attributes, false), &words), @r#"
        /// Attribute `limitOfIt` (optional): a number.
        pub fn limit_of_it(self) -> Option<i64> {
        self.0.has_attribute("limitOfIt").then(|| integer(self.0, "limitOfIt"))
        pub fn r#type(self) -> Attribute<'c> {
        limit_of_it: Option<i64>,
        r#type: Attribute<'c>,
        &[limit_of_it.map(|limit_of_it| ("limitOfIt", self.i64_attribute(limit_of_it))), Some(("type", r#type))].into_iter().flatten().collect::<Vec<_>>(),
        "#);
}

#[test]
fn regions_and_any_number_of_results() {
    let mut op = op(&[("sources", Arity::Variadic)], &[], false);
    op.many_results = true;
    op.results[0].name = "results".to_owned();
    op.regions = vec!["combine".to_owned()];
    let words = ["results", "result_of", "block_of", "combine", "self.op"];
    insta::assert_snapshot!(lines(op, &words), @r#"
        /// Result `results` (any number): a tile.
        pub fn results(self) -> impl Iterator<Item = Value<'c, 'a>> {
        (0..self.0.result_count()).map(move |index| result_of(self.0, index))
        /// The block of region `combine`.
        pub fn combine(self) -> BlockRef<'c, 'a> {
        block_of(self.0, 0)
        results: &[Type<'c>],
        combine: Region<'c>,
        DoItOp(self.op_with_regions(
        results,
        vec![combine],
        "#);
}

#[test]
fn many_parameters_are_no_lint() {
    let four: Vec<_> = ["a", "b", "c", "d"].map(|name| (name, Arity::One)).into();
    let allow = ["too_many_arguments"];
    assert_eq!(lines(op(&four, &[("e", AttributeKind::Any, false)], false), &allow), "");
    let attributes = [("e", AttributeKind::Any, false), ("f", AttributeKind::Any, false)];
    assert_eq!(
        lines(op(&four, &attributes, false), &allow),
        "#[allow(clippy::too_many_arguments)]"
    );
}
