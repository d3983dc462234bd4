//! The newtype of an operation: accessors of operands, attributes, results and regions.

use std::fmt::Write;

use super::attribute::{make, make_type, read, read_type};
use super::{VALUE, constant_name, escape, identifier, says, snake_case};
use crate::model::{Arity, Attribute, AttributeKind, Op, RegionKind};

pub fn newtype(op: &Op) -> String {
    let (name, class, constant) = (&op.name, &op.class, constant_name(op));
    let mut text = format!(
        "
/// `{name}`{says}.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct {class}<'c, 'a>(OperationRef<'c, 'a>);

impl<'c: 'a, 'a> {class}<'c, 'a> {{
    /// The operation as a `{name}`; none if it is another one.
    pub fn cast(operation: OperationRef<'c, 'a>) -> Option<Self> {{
        is_named(operation, {constant}).then_some({class}(operation))
    }}

    /// The operation itself.
    pub fn operation(self) -> OperationRef<'c, 'a> {{
        self.0
    }}
",
        says = says(op)
    );
    for (index, operand) in op.operands.iter().enumerate() {
        let (what, ty) = many(operand.arity);
        let doc = format!("Operand `{}`{what}: {}", operand.name, escape(&operand.summary));
        accessor(&mut text, &doc, &operand.name, &ty, &operand_at(op, index));
    }
    for attribute in &op.attributes {
        attribute_accessors(&mut text, attribute);
    }
    for (index, result) in op.results.iter().enumerate() {
        let (what, ty) = many(result.arity);
        let doc = format!("Result `{}`{what}: {}", result.name, escape(&result.summary));
        accessor(&mut text, &doc, &result.name, &ty, &result_at(op, index));
    }
    for (index, region) in op.regions.iter().enumerate() {
        let name = &region.name;
        let (doc, ty, body) = match region.kind {
            RegionKind::Block => (
                format!("The block of region `{name}`"),
                "BlockRef<'c, 'a>",
                format!("block_of(self.0, {index})"),
            ),
            RegionKind::OptionalBlock => (
                format!("The block of region `{name}`; none if that is empty"),
                "Option<BlockRef<'c, 'a>>",
                format!("region_of(self.0, {index}).first_block()"),
            ),
            RegionKind::Blocks => (
                format!("The blocks of the regions `{name}`"),
                "impl Iterator<Item = BlockRef<'c, 'a>>",
                format!("({index}..self.0.region_count()).map(move |index| block_of(self.0, index))"),
            ),
            RegionKind::Any => (
                format!("Region `{name}`"),
                "RegionRef<'c, 'a>",
                format!("region_of(self.0, {index})"),
            ),
        };
        accessor(&mut text, &doc, name, ty, &body);
    }
    text + "}\n"
}

/// How many values there are, for the documentation, and the type that gives them.
fn many(arity: Arity) -> (&'static str, String) {
    match arity {
        Arity::One => ("", VALUE.to_owned()),
        Arity::Optional => (" (optional)", format!("Option<{VALUE}>")),
        Arity::Variadic => (" (any number)", format!("impl Iterator<Item = {VALUE}>")),
    }
}

/// What reads an attribute, and what sets one that a builder leaves out.
fn attribute_accessors(text: &mut String, attribute: &Attribute) {
    let Attribute { name, kind, .. } = attribute;
    let (what, ty, body) = match (attribute.optional, kind) {
        (false, _) | (true, AttributeKind::Unit) => ("", read_type(kind), read(attribute)),
        (true, _) => (
            " (optional)",
            format!("Option<{}>", read_type(kind)),
            format!("self.0.has_attribute({name:?}).then(|| {})", read(attribute)),
        ),
    };
    let doc = format!("Attribute `{name}`{what}: {}", escape(&attribute.summary));
    accessor(text, &doc, name, &ty, &body);
    if !attribute.optional {
        return;
    }
    let (snake, ty) = (snake_case(name), make_type(kind));
    let set = match kind {
        AttributeKind::Any | AttributeKind::Type => {
            format!("sys::set_attribute(self.0, {name:?}, {});", make(kind, "", "value"))
        }
        _ => format!(
            "sys::with_context(&self.0, |context| sys::set_attribute(self.0, {name:?}, {}));",
            make(kind, "context", "value")
        ),
    };
    let (doc, set) = match kind {
        AttributeKind::Unit => (
            format!("The operation with attribute `{name}`, if that is wanted"),
            format!("if value {{\n            {set}\n        }}"),
        ),
        _ => (format!("The operation with this attribute `{name}`"), set),
    };
    write!(
        text,
        "\n    /// {doc}.\n    pub fn with_{snake}(self, value: {ty}) -> Self {{\n        {set}\n        self\n    }}\n"
    )
    .expect("a string grows");
}

fn accessor(text: &mut String, doc: &str, name: &str, ty: &str, body: &str) {
    let name = identifier(name);
    write!(
        text,
        "\n    /// {doc}.\n    pub fn {name}(self) -> {ty} {{\n        {body}\n    }}\n"
    )
    .expect("a string grows");
}

/// The expression that reads an operand: by its index, where that is the same in every such operation.
fn operand_at(op: &Op, index: usize) -> String {
    let arities: Vec<_> = op.operands.iter().map(|operand| operand.arity).collect();
    let range = match op.segmented {
        true => format!("segment(self.0, {index})"),
        false => range_of(&arities, index, "self.0.operand_count()"),
    };
    value_at(&arities, index, "operand", &range)
}

/// The expression that reads a result, likewise.
fn result_at(op: &Op, index: usize) -> String {
    let arities: Vec<_> = op.results.iter().map(|result| result.arity).collect();
    value_at(
        &arities,
        index,
        "result_of",
        &range_of(&arities, index, "self.0.result_count()"),
    )
}

fn value_at(arities: &[Arity], index: usize, get: &str, range: &str) -> String {
    if arities[..=index].iter().all(|arity| *arity == Arity::One) {
        return format!("{get}(self.0, {index})");
    }
    match arities[index] {
        Arity::One => format!("{get}(self.0, {range}.start)"),
        Arity::Optional => format!("{range}.next().map(|index| {get}(self.0, index))"),
        Arity::Variadic => format!("{range}.map(move |index| {get}(self.0, index))"),
    }
}

/// The range of the values that one of ODS stands for, among `count`: all that vary stand for the same number.
fn range_of(arities: &[Arity], index: usize, count: &str) -> String {
    let split = |arities: &[Arity]| {
        let ones = arities.iter().filter(|arity| **arity == Arity::One).count();
        (ones, arities.len() - ones)
    };
    let width = usize::from(arities[index] != Arity::One);
    let ((ones, varying), (ones_before, varying_before)) = (split(arities), split(&arities[..index]));
    format!(
        "even_range({count}, [{ones}, {varying}], [{ones_before}, {varying_before}], {})",
        width == 1
    )
}
