//! What the bindings know of an operation: the part of its ODS definition that Rust code needs.

/// An operation, as far as the bindings know it.
pub struct Op {
    /// With its dialect: `tile.load`.
    pub name: String,
    /// The name of the newtype: `LoadOp`.
    pub class: String,
    pub summary: String,
    pub operands: Vec<Operand>,
    pub attributes: Vec<Attribute>,
    /// The attribute `operandSegmentSizes` says how many operands stand for each of `operands`.
    pub segmented: bool,
    pub results: Vec<Named>,
    /// The only result stands for any number of them.
    pub many_results: bool,
    /// Regions of one block, by name.
    pub regions: Vec<String>,
}

pub struct Named {
    pub name: String,
    pub summary: String,
}

pub struct Operand {
    pub name: String,
    pub summary: String,
    pub arity: Arity,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    One,
    Optional,
    Variadic,
}

pub struct Attribute {
    pub name: String,
    pub summary: String,
    pub kind: AttributeKind,
    pub optional: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AttributeKind {
    I32,
    I64,
    Any,
}
