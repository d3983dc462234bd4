//! Attributes by kind: the Rust type that an accessor gives and a builder takes, and how to read and make one.

use super::OWN;
use crate::model::{Attribute, AttributeKind};

/// The Rust type of the value, as an accessor gives it.
pub fn read_type(kind: &AttributeKind) -> String {
    match kind {
        AttributeKind::I32s => "Vec<i32>".to_owned(),
        AttributeKind::I64s | AttributeKind::Integers => "Vec<i64>".to_owned(),
        AttributeKind::Str | AttributeKind::Symbol => "&'c str".to_owned(),
        other => make_type(other),
    }
}

/// The Rust type of the value, as a builder takes it.
pub fn make_type(kind: &AttributeKind) -> String {
    match kind {
        AttributeKind::I16 => "i16".to_owned(),
        AttributeKind::I32 => "i32".to_owned(),
        AttributeKind::I64 | AttributeKind::Index => "i64".to_owned(),
        AttributeKind::Bool | AttributeKind::Unit => "bool".to_owned(),
        AttributeKind::Str | AttributeKind::Symbol => "&str".to_owned(),
        AttributeKind::Type => "Type<'c>".to_owned(),
        AttributeKind::I32s => "&[i32]".to_owned(),
        AttributeKind::I64s | AttributeKind::Integers => "&[i64]".to_owned(),
        AttributeKind::Enum(path) => enum_path(path),
        AttributeKind::Any => "Attribute<'c>".to_owned(),
    }
}

/// The expression that reads the attribute, which is there.
pub fn read(attribute: &Attribute) -> String {
    let name = &attribute.name;
    match &attribute.kind {
        AttributeKind::I16 => format!("integer(self.0, {name:?}) as i16"),
        AttributeKind::I32 => format!("integer(self.0, {name:?}) as i32"),
        AttributeKind::I64 | AttributeKind::Index => format!("integer(self.0, {name:?})"),
        AttributeKind::Bool => format!("boolean(self.0, {name:?})"),
        AttributeKind::Unit => format!("self.0.has_attribute({name:?})"),
        AttributeKind::Str => format!("string(self.0, {name:?})"),
        AttributeKind::Symbol => format!("symbol(self.0, {name:?})"),
        AttributeKind::Type => format!("type_attribute(self.0, {name:?})"),
        AttributeKind::I32s => format!("i32s(self.0, {name:?})"),
        AttributeKind::I64s => format!("i64s(self.0, {name:?})"),
        AttributeKind::Integers => format!("integers(self.0, {name:?})"),
        AttributeKind::Enum(path) => format!("known({}::of(attribute(self.0, {name:?})))", enum_path(path)),
        AttributeKind::Any => format!("attribute(self.0, {name:?})"),
    }
}

/// The expression that makes the attribute of `value` in `context`.
pub fn make(kind: &AttributeKind, context: &str, value: &str) -> String {
    match kind {
        AttributeKind::I16 => format!("make::integer({context}, 16, {value}.into())"),
        AttributeKind::I32 => format!("make::integer({context}, 32, {value}.into())"),
        AttributeKind::I64 => format!("make::integer({context}, 64, {value})"),
        AttributeKind::Index => format!("make::index({context}, {value})"),
        AttributeKind::Bool => format!("make::boolean({context}, {value})"),
        AttributeKind::Unit => format!("Attribute::unit({context})"),
        AttributeKind::Str => format!("make::string({context}, {value})"),
        AttributeKind::Symbol => format!("make::symbol({context}, {value})"),
        AttributeKind::Type => format!("make::type_attribute({value})"),
        AttributeKind::I32s => format!("make::i32s({context}, {value})"),
        AttributeKind::I64s => format!("make::i64s({context}, {value})"),
        AttributeKind::Integers => format!("make::integers({context}, {value})"),
        AttributeKind::Enum(_) => format!("{value}.attribute({context})"),
        AttributeKind::Any => value.to_owned(),
    }
}

/// The path of an enum's type from where the bindings are included.
pub fn enum_path(path: &str) -> String {
    let own = path.strip_prefix(OWN).and_then(|rest| rest.strip_prefix("::"));
    format!("crate::ops::{}", own.unwrap_or(path))
}
