//! What the build script writes for forms of operands and attributes, those included that the dialect does not use yet.

#[path = "../build/generate/mod.rs"]
mod generate;
#[path = "../build/model.rs"]
mod model;

use generate::{bindings, module};
use model::{Arity, Attribute, AttributeKind, Dialect, Enum, EnumStorage, Op, OpResult, Operand, Region, RegionKind};

fn result(name: &str, arity: Arity) -> OpResult {
    OpResult {
        name: name.to_owned(),
        summary: "a tile".to_owned(),
        arity,
        ty: None,
    }
}

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
            .map(|(name, kind, optional)| Attribute {
                name: (*name).to_owned(),
                summary: "a number".to_owned(),
                kind: kind.clone(),
                optional: *optional,
            })
            .collect(),
        segmented,
        results: vec![result("result", Arity::One)],
        same_type: false,
        regions: Vec::new(),
        branches: false,
    }
}

fn dialect(name: &str, ops: Vec<Op>, enums: Vec<Enum>) -> Dialect {
    Dialect {
        name: name.to_owned(),
        ops,
        enums,
    }
}

/// The lines that contain one of `words`.
fn lines(op: Op, words: &[&str]) -> String {
    lines_of(&module(&dialect("tile", vec![op], Vec::new())), words)
}

fn lines_of(text: &str, words: &[&str]) -> String {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| words.iter().any(|word| line.contains(word)));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn whole_operation() {
    let op = op(&[("source", Arity::One)], &[("axis", AttributeKind::I32, false)], false);
    insta::assert_snapshot!(bindings(&[dialect("tile", vec![op], Vec::new())]));
}

#[test]
fn upstream_dialects_are_modules() {
    let mut op = op(&[], &[], false);
    op.name = "math.do_it".to_owned();
    let text = bindings(&[dialect("math", vec![op], Vec::new())]);
    let words = ["mod ", "enum ", "AnyOp", "Op::", "const "];
    insta::assert_snapshot!(lines_of(&text, &words), @r#"
        pub mod math {
        pub const DO_IT: &str = "math.do_it";
        pub enum Op<'c, 'a> {
        Ok(DO_IT) => Op::DoIt(DoItOp(operation)),
        Op::DoIt(op) => op.operation(),
        pub enum AnyOp<'c, 'a> {
        impl<'c: 'a, 'a> AnyOp<'c, 'a> {
        "math" => AnyOp::Math(math::Op::cast(operation)?),
        "#);
}

#[test]
fn enums_are_read_and_made() {
    let cases = vec![("fadd".to_owned(), 3), ("MAX_num".to_owned(), -1)];
    let kinds = Enum {
        name: "Kind".to_owned(),
        summary: "what it does".to_owned(),
        flags: false,
        storage: EnumStorage::Dialect("tile.kind".to_owned()),
        cases,
    };
    let op = op(
        &[],
        &[("kind", AttributeKind::Enum("tile::Kind".to_owned()), false)],
        false,
    );
    insta::assert_snapshot!(module(&dialect("tile", vec![op], vec![kinds])));
}

#[test]
fn flags_are_sets() {
    let flags = |storage| Enum {
        name: "Flags".to_owned(),
        summary: "what holds".to_owned(),
        flags: true,
        storage,
        cases: vec![("none".to_owned(), 0), ("nsw".to_owned(), 1), ("nuw".to_owned(), 2)],
    };
    let text = |storage| module(&dialect("arith", Vec::new(), vec![flags(storage)]));
    let words = ["Flags", "const", "enum_attribute("];
    insta::assert_snapshot!(lines_of(&text(EnumStorage::Dialect("arith.flags".to_owned())), &words), @r#"
        pub struct Flags(u32);
        impl Flags {
        pub const NONE: Self = Flags(0);
        pub const NSW: Self = Flags(1);
        pub const NUW: Self = Flags(2);
        Some(Flags(sys::enum_attribute_value("arith.flags", attribute)?))
        sys::enum_attribute(context, "arith.flags", self.0)
        pub const fn contains(self, flags: Self) -> bool {
        impl std::ops::BitOr for Flags {
        Flags(self.0 | other.0)
        "#);
    insta::assert_snapshot!(lines_of(&text(EnumStorage::Integer(16)), &["u32", "i64", "make"]), @r#"
        pub struct Flags(i64);
        make::integer(context, 16, self.0)
        "#);
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
        segment(self.0, 1).next().map(|index| operand(self.0, index))
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
        even_range(self.0.operand_count(), [2, 1], [1, 0], true).map(move |index| operand(self.0, index))
        operand(self.0, even_range(self.0.operand_count(), [2, 1], [1, 1], false).start)
        &[a].into_iter().chain(others.iter().copied()).chain([last]).collect::<Vec<_>>(),
        "#);
}

#[test]
fn attributes_that_may_be_left_out_are_set_afterwards() {
    let attributes = [
        ("limitOfIt", AttributeKind::I64, true),
        ("exact", AttributeKind::Unit, true),
        ("type", AttributeKind::Any, false),
    ];
    let words = ["limit_of_it", "limitOfIt", "exact", "r#type"];
    insta::assert_snapshot!(lines(op(&[], &attributes, false), &words), @r#"
        /// Attribute `limitOfIt` (optional): a number.
        pub fn limit_of_it(self) -> Option<i64> {
        self.0.has_attribute("limitOfIt").then(|| integer(self.0, "limitOfIt"))
        /// The operation with this attribute `limitOfIt`.
        pub fn with_limit_of_it(self, value: i64) -> Self {
        sys::with_context(&self.0, |context| sys::set_attribute(self.0, "limitOfIt", make::integer(context, 64, value)));
        /// Attribute `exact`: a number.
        pub fn exact(self) -> bool {
        self.0.has_attribute("exact")
        /// The operation with attribute `exact`, if that is wanted.
        pub fn with_exact(self, value: bool) -> Self {
        sys::with_context(&self.0, |context| sys::set_attribute(self.0, "exact", Attribute::unit(context)));
        pub fn r#type(self) -> Attribute<'c> {
        r#type: Attribute<'c>,
        &[("type", r#type)],
        "#);
}

#[test]
fn attributes_are_rust_values() {
    let kinds = [
        ("a", AttributeKind::I16),
        ("b", AttributeKind::Index),
        ("c", AttributeKind::Bool),
        ("d", AttributeKind::Str),
        ("e", AttributeKind::Symbol),
        ("f", AttributeKind::Type),
        ("g", AttributeKind::I32s),
        ("h", AttributeKind::I64s),
        ("i", AttributeKind::Integers),
        ("j", AttributeKind::Enum("arith::Flags".to_owned())),
    ];
    let attributes = kinds.map(|(name, kind)| (name, kind, false));
    let words = ["(self.0, \"", "(self) ->", ": &", "make::", ": crate"];
    insta::assert_snapshot!(lines(op(&[], &attributes, false), &words), @r#"
        pub const DO_IT: &str = "tile.do_it";
        pub fn operation(self) -> OperationRef<'c, 'a> {
        pub fn a(self) -> i16 {
        integer(self.0, "a") as i16
        pub fn b(self) -> i64 {
        integer(self.0, "b")
        pub fn c(self) -> bool {
        boolean(self.0, "c")
        pub fn d(self) -> &'c str {
        string(self.0, "d")
        pub fn e(self) -> &'c str {
        symbol(self.0, "e")
        pub fn f(self) -> Type<'c> {
        type_attribute(self.0, "f")
        pub fn g(self) -> Vec<i32> {
        i32s(self.0, "g")
        pub fn h(self) -> Vec<i64> {
        i64s(self.0, "h")
        pub fn i(self) -> Vec<i64> {
        integers(self.0, "i")
        pub fn j(self) -> crate::ops::arith::Flags {
        known(crate::ops::arith::Flags::of(attribute(self.0, "j")))
        pub fn result(self) -> Value<'c, 'a> {
        d: &str,
        e: &str,
        g: &[i32],
        h: &[i64],
        i: &[i64],
        j: crate::ops::arith::Flags,
        &[("a", make::integer(self.context, 16, a.into())), ("b", make::index(self.context, b)), ("c", make::boolean(self.context, c)), ("d", make::string(self.context, d)), ("e", make::symbol(self.context, e)), ("f", make::type_attribute(f)), ("g", make::i32s(self.context, g)), ("h", make::i64s(self.context, h)), ("i", make::integers(self.context, i)), ("j", j.attribute(self.context))],
        pub fn operation(self) -> OperationRef<'c, 'a> {
        "#);
}

#[test]
fn regions_and_any_number_of_results() {
    let mut op = op(&[("sources", Arity::Variadic)], &[], false);
    op.results = vec![result("results", Arity::Variadic)];
    let region = |name: &str, kind| Region {
        name: name.to_owned(),
        kind,
    };
    op.regions = vec![
        region("combine", RegionKind::Block),
        region("elseRegion", RegionKind::OptionalBlock),
        region("body", RegionKind::Any),
        region("cases", RegionKind::Blocks),
    ];
    let words = [
        "results",
        "result_of",
        "block",
        "region",
        "combine",
        "self.op",
        "Region",
    ];
    insta::assert_snapshot!(lines(op, &words), @r#"
        /// Result `results` (any number): a tile.
        pub fn results(self) -> impl Iterator<Item = Value<'c, 'a>> {
        even_range(self.0.result_count(), [0, 1], [0, 0], true).map(move |index| result_of(self.0, index))
        /// The block of region `combine`.
        pub fn combine(self) -> BlockRef<'c, 'a> {
        block_of(self.0, 0)
        /// The block of region `elseRegion`; none if that is empty.
        pub fn else_region(self) -> Option<BlockRef<'c, 'a>> {
        region_of(self.0, 1).first_block()
        /// Region `body`.
        pub fn body(self) -> RegionRef<'c, 'a> {
        region_of(self.0, 2)
        /// The blocks of the regions `cases`.
        (3..self.0.region_count()).map(move |index| block_of(self.0, index))
        results: &[Type<'c>],
        combine: Region<'c>,
        else_region: Region<'c>,
        body: Region<'c>,
        cases: Vec<Region<'c>>,
        DoItOp(self.op_with_regions(
        results,
        [combine, else_region, body].into_iter().chain(cases).collect(),
        "#);
}

#[test]
fn results_of_the_same_variable_number() {
    let mut op = op(&[], &[], false);
    op.results = vec![
        result("base", Arity::One),
        result("sizes", Arity::Variadic),
        result("strides", Arity::Variadic),
    ];
    insta::assert_snapshot!(lines(op, &["result_of", "Type<", "chain"]), @r#"
        result_of(self.0, 0)
        even_range(self.0.result_count(), [1, 2], [1, 0], true).map(move |index| result_of(self.0, index))
        even_range(self.0.result_count(), [1, 2], [1, 1], true).map(move |index| result_of(self.0, index))
        base: Type<'c>,
        sizes: &[Type<'c>],
        strides: &[Type<'c>],
        &[base].into_iter().chain(sizes.iter().copied()).chain(strides.iter().copied()).collect::<Vec<_>>(),
        "#);
}

#[test]
fn types_that_follow_are_no_parameters() {
    let mut same = op(&[("a", Arity::One)], &[], false);
    same.same_type = true;
    insta::assert_snapshot!(lines(same, &["Type", "r#type"]), @"&[a.r#type()],");
    let mut fixed = op(&[], &[], false);
    fixed.results[0].ty = Some("Type::index(self.context)");
    insta::assert_snapshot!(lines(fixed, &["Type"]), @"&[Type::index(self.context)],");
}

#[test]
fn branches_have_no_builder() {
    let mut branch = op(&[("condition", Arity::One)], &[], false);
    branch.branches = true;
    let text = lines(branch, &["Emitter", "fn condition"]);
    assert_eq!(text, "pub fn condition(self) -> Value<'c, 'a> {");
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
