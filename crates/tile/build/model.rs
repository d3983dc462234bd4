//! What the bindings know of an operation: the part of its ODS definition that Rust code needs.

/// The operations of a dialect, and the enums that its attributes hold.
pub struct Dialect {
    /// `arith`.
    pub name: String,
    pub ops: Vec<Op>,
    pub enums: Vec<Enum>,
}

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
    pub results: Vec<OpResult>,
    /// The results have the type of the first operand.
    pub same_type: bool,
    pub regions: Vec<Region>,
    /// It branches to other blocks: there is no builder.
    pub branches: bool,
}

pub struct OpResult {
    pub name: String,
    pub summary: String,
    pub arity: Arity,
    /// The expression of its type, if that is the same in every such operation.
    pub ty: Option<&'static str>,
}

pub struct Operand {
    pub name: String,
    pub summary: String,
    pub arity: Arity,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arity {
    One,
    Optional,
    Variadic,
}

pub struct Region {
    pub name: String,
    pub kind: RegionKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    /// One block.
    Block,
    /// At most one block.
    OptionalBlock,
    /// Any number of regions of one block each.
    Blocks,
    /// A region of any number of blocks.
    Any,
}

pub struct Attribute {
    pub name: String,
    pub summary: String,
    pub kind: AttributeKind,
    /// It may be left out: it is optional, or has a default.
    pub optional: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeKind {
    I16,
    I32,
    I64,
    Index,
    Bool,
    /// Present or not.
    Unit,
    Str,
    /// A reference to a symbol of the same table.
    Symbol,
    Type,
    /// A dense array of `i32`.
    I32s,
    /// A dense array of `i64`.
    I64s,
    /// An array of integer attributes.
    Integers,
    /// An enum, by the path of its Rust type from the module of a dialect: `arith::FastMathFlags`.
    Enum(String),
    Any,
}

/// An enum that attributes hold.
pub struct Enum {
    /// `FastMathFlags`.
    pub name: String,
    pub summary: String,
    /// Sets of bits rather than one case.
    pub flags: bool,
    pub storage: EnumStorage,
    /// The cases: their ODS symbols and numbers.
    pub cases: Vec<(String, i64)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnumStorage {
    /// An attribute of the dialect: `arith.fastmath`.
    Dialect(String),
    /// A builtin integer of so many bits.
    Integer(i64),
}
