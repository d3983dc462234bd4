//! The operations of the language and what each means.
//!
//! An operation has one meaning for every front end, backend and device; what a source language spells differently
//! is the front end's affair. Element-wise operations take scalars or tiles of one shape: broadcasting is explicit
//! ([`OpKind::Splat`], [`OpKind::ExpandDims`], [`OpKind::Broadcast`]).
//!
//! Integer types say nothing of a sign: where it matters, the operation does (`div_s`, `div_u`). An `i1` is a truth value
//! and has no sign to speak of (two's complement would make `true` -1, arithmetic of truth values 1), so the operations
//! that read one, `lt` to `ge`, `min_s`, `max_s`, `div_s`, `rem_s`, `shr_s` and `s_to_f`, refuse it in favour of their
//! unsigned forms. Only `sext` takes it, whose result says what is meant: 0 or -1.

#![warn(clippy::wildcard_enum_match_arm)]

use std::fmt;
use std::str::FromStr;

use crate::constant::Const;
use crate::permutation::Permutation;
use crate::types::UnknownName;

/// Defines an enum whose variants have a name in the text form.
macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<Self, UnknownName> {
                match text { $($text => Ok($name::$variant),)* _ => Err(UnknownName(text.to_owned())) }
            }
        }
    };
}

named_enum! {
    /// A dimension of the launch grid.
    Axis {
        /// The first, fastest-running dimension.
        X = "x",
        /// The second.
        Y = "y",
        /// The third.
        Z = "z",
    }
}

impl Axis {
    /// The dimension's number: 0, 1 or 2.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The dimension of that number, if there is one.
    pub fn from_index(index: usize) -> Option<Axis> {
        Axis::ALL.get(index).copied()
    }
}

named_enum! {
    /// Functions of one number. On `f16` and `bf16` the transcendental ones compute in `f32` and round once. Error
    /// bounds in `f32` are those of `docs/language.md`; `f64` is at library accuracy.
    UnaryOp {
        /// Float: the sign flipped, of NaN and zero too.
        Neg = "neg",
        /// Float: the sign cleared. Integer: the absolute value, wrapping (`abs(INT_MIN)` is `INT_MIN`).
        Abs = "abs",
        /// Float: e to the x.
        Exp = "exp",
        /// Float: 2 to the x.
        Exp2 = "exp2",
        /// Float: e to the x, less 1, accurate near zero.
        Expm1 = "expm1",
        /// Float: natural logarithm.
        Log = "log",
        /// Float: binary logarithm.
        Log2 = "log2",
        /// Float: decimal logarithm.
        Log10 = "log10",
        /// Float: natural logarithm of 1 + x, accurate near zero.
        Log1p = "log1p",
        /// Float: sine of radians.
        Sin = "sin",
        /// Float: cosine of radians.
        Cos = "cos",
        /// Float: tangent of radians.
        Tan = "tan",
        /// Float: hyperbolic tangent.
        Tanh = "tanh",
        /// Float: the error function.
        Erf = "erf",
        /// Float: square root, to 3 ulp in `f32`; exact in `f64`.
        Sqrt = "sqrt",
        /// Float: square root, correctly rounded.
        SqrtRn = "sqrt_rn",
        /// Float: 1 / sqrt(x), approximate.
        Rsqrt = "rsqrt",
        /// Float: to the integer below.
        Floor = "floor",
        /// Float: to the integer above.
        Ceil = "ceil",
        /// Float: to the integer toward zero.
        Trunc = "trunc",
        /// Float: to the nearest integer, ties away from zero.
        Round = "round",
        /// Float: to the nearest integer, ties to even.
        RoundEven = "round_even",
    }
}

named_enum! {
    /// Functions of two numbers of one type. Integers wrap in two's complement.
    BinaryOp {
        /// Sum; of `i1`, exclusive or.
        Add = "add",
        /// Difference; of `i1`, exclusive or.
        Sub = "sub",
        /// Product; of `i1`, and.
        Mul = "mul",
        /// Float: quotient, to 2 ulp in `f32` (f16 and bf16 compute in `f32` and round once); exact in `f64`.
        Div = "div",
        /// Float: quotient, correctly rounded.
        DivRn = "div_rn",
        /// Float: `x - trunc(x / y) * y`, the remainder with the dividend's sign, exact as C's `fmod`.
        Rem = "rem",
        /// Integer, signed, not `i1`: quotient rounded toward zero. By zero, and `INT_MIN / -1`: an unspecified value, never a
        /// crash; an error on the CPU device.
        DivS = "div_s",
        /// Integer, unsigned: quotient. By zero as for `div_s`.
        DivU = "div_u",
        /// Integer, signed, not `i1`: remainder with the dividend's sign. By zero, and `INT_MIN % -1`, as for `div_s`.
        RemS = "rem_s",
        /// Integer, unsigned: remainder. By zero as for `div_s`.
        RemU = "rem_u",
        /// Integer: bitwise and.
        And = "and",
        /// Integer: bitwise or.
        Or = "or",
        /// Integer: bitwise exclusive or.
        Xor = "xor",
        /// Integer: left shift. The amount is unsigned; from the width on, the result is 0.
        Shl = "shl",
        /// Integer, not `i1`: right shift that copies the sign. The amount is unsigned; from the width on, all bits are
        /// the sign.
        ShrS = "shr_s",
        /// Integer: right shift that brings in zeros. The amount is unsigned; from the width on, the result is 0.
        ShrU = "shr_u",
        /// Integer, signed, not `i1`: the smaller.
        MinS = "min_s",
        /// Integer, signed, not `i1`: the larger.
        MaxS = "max_s",
        /// Integer, unsigned: the smaller.
        MinU = "min_u",
        /// Integer, unsigned: the larger.
        MaxU = "max_u",
        /// Float: the smaller; a NaN counts only against another. `-0.0` is below `0.0`.
        Min = "min",
        /// Float: the larger; a NaN counts only against another. `0.0` is above `-0.0`.
        Max = "max",
        /// Float: the smaller, NaN if either is.
        MinNan = "min_nan",
        /// Float: the larger, NaN if either is.
        MaxNan = "max_nan",
        /// Float: x to the power y, C's `pow`, at library accuracy.
        Pow = "pow",
    }
}

impl BinaryOp {
    /// Does swapping the operands never change the result?
    pub const fn is_commutative(self) -> bool {
        use BinaryOp::*;
        match self {
            Add | Mul | And | Or | Xor | MinS | MaxS | MinU | MaxU | Min | Max | MinNan | MaxNan => true,
            Sub | Div | DivRn | Rem | DivS | DivU | RemS | RemU | Shl | ShrS | ShrU | Pow => false,
        }
    }

    /// Of an operation that reads its integers as signed, the unsigned one; none for the others.
    pub const fn unsigned(self) -> Option<BinaryOp> {
        use BinaryOp::*;
        match self {
            DivS => Some(DivU),
            RemS => Some(RemU),
            ShrS => Some(ShrU),
            MinS => Some(MinU),
            MaxS => Some(MaxU),
            Add | Sub | Mul | Div | DivRn | Rem | Pow | Min | Max | MinNan | MaxNan => None,
            DivU | RemU | ShrU | MinU | MaxU | And | Or | Xor | Shl => None,
        }
    }

    /// What it takes: integers, floats or either.
    pub const fn domain(self) -> Domain {
        use BinaryOp::*;
        match self {
            Add | Sub | Mul => Domain::Number,
            Div | DivRn | Rem | Min | Max | MinNan | MaxNan | Pow => Domain::Float,
            DivS | DivU | RemS | RemU | And | Or | Xor | Shl | ShrS | ShrU | MinS | MaxS | MinU | MaxU => Domain::Int,
        }
    }

    /// For which operands the result is unspecified, if for any.
    pub const fn undefined(self) -> Option<Undefined> {
        use BinaryOp::*;
        match self {
            DivS | RemS => Some(Undefined::ByZeroOrOverflow),
            DivU | RemU => Some(Undefined::ByZero),
            Add | Sub | Mul | Div | DivRn | Rem | Pow | Min | Max | MinNan | MaxNan => None,
            And | Or | Xor | Shl | ShrS | ShrU | MinS | MaxS | MinU | MaxU => None,
        }
    }
}

/// For which operands a division or remainder has no specified result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undefined {
    /// For a divisor of 0.
    ByZero,
    /// For a divisor of 0, and for the smallest integer by -1.
    ByZeroOrOverflow,
}

impl Undefined {
    /// Is there a dividend for which the division by this divisor is unspecified?
    pub const fn may_be_for(self, divisor: Const) -> bool {
        let minus_one = divisor.bits() == divisor.scalar().bit_mask();
        divisor.bits() == 0
            || match self {
                Undefined::ByZero => false,
                Undefined::ByZeroOrOverflow => minus_one,
            }
    }
}

impl UnaryOp {
    /// What it takes: floats, or integers too.
    pub const fn domain(self) -> Domain {
        use UnaryOp::*;
        match self {
            Abs => Domain::Number,
            Neg | Exp | Exp2 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Tanh | Erf => Domain::Float,
            Sqrt | SqrtRn | Rsqrt | Floor | Ceil | Trunc | Round | RoundEven => Domain::Float,
        }
    }
}

/// The kinds of numbers that an operation is defined for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Integers, `i1` among them.
    Int,
    /// Floating-point numbers.
    Float,
    /// Both.
    Number,
}

named_enum! {
    /// Comparisons. Float ones are ordered, that is false when an operand is NaN, except `ne`, which is true.
    CmpPred {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Less: signed integers (not `i1`) or floats.
        Lt = "lt",
        /// Less or equal: signed integers (not `i1`) or floats.
        Le = "le",
        /// Greater: signed integers (not `i1`) or floats.
        Gt = "gt",
        /// Greater or equal: signed integers (not `i1`) or floats.
        Ge = "ge",
        /// Less: unsigned integers.
        LtU = "lt_u",
        /// Less or equal: unsigned integers.
        LeU = "le_u",
        /// Greater: unsigned integers.
        GtU = "gt_u",
        /// Greater or equal: unsigned integers.
        GeU = "ge_u",
    }
}

impl CmpPred {
    /// Is it for unsigned integers alone?
    pub const fn is_unsigned(self) -> bool {
        use CmpPred::*;
        match self {
            LtU | LeU | GtU | GeU => true,
            Eq | Ne | Lt | Le | Gt | Ge => false,
        }
    }

    /// Does it compare for equality alone, as pointers can be?
    pub const fn is_equality(self) -> bool {
        use CmpPred::*;
        match self {
            Eq | Ne => true,
            Lt | Le | Gt | Ge | LtU | LeU | GtU | GeU => false,
        }
    }

    /// Of an order that reads integers as signed, the unsigned one; none for the others.
    pub const fn unsigned(self) -> Option<CmpPred> {
        use CmpPred::*;
        match self {
            Lt => Some(LtU),
            Le => Some(LeU),
            Gt => Some(GtU),
            Ge => Some(GeU),
            Eq | Ne | LtU | LeU | GtU | GeU => None,
        }
    }

    /// The predicate that holds of (b, a) when this one holds of (a, b).
    pub const fn swapped(self) -> CmpPred {
        use CmpPred::*;
        match self {
            Eq => Eq,
            Ne => Ne,
            Lt => Gt,
            Le => Ge,
            Gt => Lt,
            Ge => Le,
            LtU => GtU,
            LeU => GeU,
            GtU => LtU,
            GeU => LeU,
        }
    }
}

named_enum! {
    /// Conversions of the element type; the shape stays. Conversion to `i1` is a comparison with zero instead.
    CastKind {
        /// Integer to a wider one, copying the sign bit (`true` becomes -1).
        SExt = "sext",
        /// Integer to a wider one, with zeros (`true` becomes 1).
        ZExt = "zext",
        /// Integer to a narrower one, dropping the upper bits (to `i1`: the lowest bit).
        Trunc = "trunc_int",
        /// Float to a wider one, exactly. `f16` and `bf16` are not wider than one another.
        FExt = "fext",
        /// Float to a narrower one, once to nearest even, overflow to infinity.
        FTrunc = "ftrunc",
        /// Signed integer to float, once to nearest even. Not from `i1`, which has no sign.
        SToF = "s_to_f",
        /// Unsigned integer to float, once to nearest even (`true` becomes 1).
        UToF = "u_to_f",
        /// Float to signed integer: truncates, saturates, NaN gives 0. Not to `i1`.
        FToS = "f_to_s",
        /// Float to unsigned integer: truncates, saturates, NaN gives 0. Not to `i1`.
        FToU = "f_to_u",
        /// The same bits as another number type of the same width.
        Bitcast = "bitcast",
    }
}

/// What an operation does. Operands and results are described per variant as `operands -> results`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OpKind {
    /// `() -> number or tile`: a constant; as a tile every element is the constant.
    Const(Const),
    /// `() -> i32`: this program's index in the grid.
    ProgramId(Axis),
    /// `() -> i32`: the grid's extent.
    NumPrograms(Axis),
    /// `() -> tile<(end-start) x i32>`: start, start + 1, ... end - 1.
    Range {
        /// The first element.
        start: i32,
        /// One more than the last; above `start`.
        end: i32,
    },
    /// `scalar -> tile`: the scalar (a number or pointer) in every element.
    Splat,
    /// `tile -> tile`: a dimension of extent 1 put in at the axis.
    ExpandDims {
        /// Where, from 0 to the operand's rank.
        axis: usize,
    },
    /// `tile -> tile` of the same rank: dimensions of extent 1 stretched.
    Broadcast,
    /// `x -> tile or scalar`: the same elements in row-major order, in the requested shape of as many elements; a scalar
    /// counts as one.
    Reshape,
    /// `tile -> tile`: dimension `i` of the result is dimension `permutation[i]` of the operand.
    Transpose {
        /// The order of the operand's dimensions in the result.
        permutation: Permutation,
    },
    /// `tiles... -> numbers...`: combines the elements along an axis into one. One to
    /// [`MAX_REDUCED`](crate::typing::MAX_REDUCED) tiles of numbers, all of one shape, are reduced together, each
    /// element being the tuple of theirs; the results have the shape without the axis, a scalar at rank 1. Its one region
    /// `(a..., b...) { ... yield c... }` combines two such tuples: it is *isolated* (uses its own arguments and constants
    /// alone) and made of element-wise operations on scalars.
    ///
    /// The combine is taken to be associative and commutative, and backends choose the order. The reference interpreter's
    /// is from index 0 on: `combine(combine(x0, x1), x2)` and so on, without a neutral element.
    Reduce {
        /// The dimension that goes.
        axis: usize,
    },
    /// `tiles... -> same`: the running combination along an axis, its element `i` that of the elements 0 to `i`. Operands
    /// and region are those of [`OpKind::Reduce`], the left arguments being the prefix. The combine is taken to be
    /// associative; the reference interpreter's order is as for `reduce`.
    Scan {
        /// The dimension along which it runs.
        axis: usize,
        /// Does it run from the last index down? As if the tile were flipped, scanned and flipped back: the prefix is what
        /// stands at higher indices.
        reverse: bool,
    },
    /// `a, b -> tile`: two values of one type side by side, along a new last dimension of extent 2: index 0 is `a`, index 1
    /// is `b`. Of two scalars it makes a tile of extent 2.
    Join,
    /// `tile -> a, b`: the two halves of a tile along its last dimension, whose extent is 2; the inverse of
    /// [`OpKind::Join`]. Of a tile of rank 1 they are scalars.
    Split,
    /// `tile, index -> tile`: in the shape of `index`, element `i...` is that of the first operand (of numbers) at `i...`
    /// with the coordinate along the axis replaced by `index[i...]`. Index is a tile of integers of 8 to 64 bits, read as
    /// unsigned, whose rank is the first operand's and whose extents are too, but along the axis. An index that is no
    /// coordinate of the axis gives an unspecified value, never an access outside of the tile; an error on the CPU device.
    Gather {
        /// The dimension along which elements are chosen.
        axis: usize,
    },
    /// `tile [, mask] -> tile<bins x i32>`: how many elements of a tile of integers (of any rank), read as unsigned, are
    /// 0, 1, ... bins - 1, counting those whose mask (an `i1` in its shape, default true) holds. Other numbers are not
    /// counted. The result's type says how many bins there are.
    Histogram,
    /// `number -> same`.
    Unary(UnaryOp),
    /// `a, b -> same`, all of one type.
    Binary(BinaryOp),
    /// `a, b, c -> same`: a * b + c rounded once; floats.
    Fma,
    /// `a, b -> i1` in the operands' shape; `a` and `b` of one type, numbers or (only `eq`, `ne`) pointers.
    Cmp(CmpPred),
    /// `condition, a, b -> same as a`: a where the condition holds, else b. The condition is an `i1`, or a tile of `i1`
    /// in the arms' shape.
    Select,
    /// `number -> number` in the same shape, of the requested type.
    Cast(CastKind),
    /// `pointer, offset -> pointer`: offset (an integer of 8 to 64 bits, sign-extended) elements further; same shape.
    AddPtr,
    /// `pointer [, mask [, other]] -> pointee`: where the mask (an `i1`, default true) does not hold memory is not
    /// touched and the value is `other`, or without one undefined (poison). All in one shape.
    Load,
    /// `pointer, value [, mask] -> ()`: elements whose mask does not hold are not written. Where several elements
    /// have one address, one of their values is stored.
    Store,
    /// `lower, upper, step, initial... -> carried...` with one region `(index, carried...) { ... yield carried... }`:
    /// index = lower, lower + step, ... while below upper (signed). Bounds and step are of one integer type; the step is
    /// positive (a constant one is checked, a run-time one below 1 is an error on the CPU device and otherwise
    /// unspecified).
    For,
    /// `condition -> results...` with two regions `() { ... yield results... }`: the first where the `i1` holds.
    If,
    /// `initial... -> carried...` with regions `(carried...) { ... condition c, carried... }` and
    /// `(carried...) { ... yield carried... }`: the second runs while the first ends in true; the results are what the
    /// first passed on at the end.
    While,
    /// `values... -> ()`: ends a region of `for`, `if`, or the body of `while`.
    Yield,
    /// `i1, values... -> ()`: ends the test region of `while`.
    Condition,
}

impl OpKind {
    /// The operation's name in the text form.
    pub const fn name(&self) -> &'static str {
        match self {
            OpKind::Const(_) => "const",
            OpKind::ProgramId(_) => "program_id",
            OpKind::NumPrograms(_) => "num_programs",
            OpKind::Range { .. } => "range",
            OpKind::Splat => "splat",
            OpKind::ExpandDims { .. } => "expand_dims",
            OpKind::Broadcast => "broadcast",
            OpKind::Reshape => "reshape",
            OpKind::Transpose { .. } => "transpose",
            OpKind::Reduce { .. } => "reduce",
            OpKind::Scan { .. } => "scan",
            OpKind::Join => "join",
            OpKind::Split => "split",
            OpKind::Gather { .. } => "gather",
            OpKind::Histogram => "histogram",
            OpKind::Unary(op) => op.name(),
            OpKind::Binary(op) => op.name(),
            OpKind::Fma => "fma",
            OpKind::Cmp(_) => "cmp",
            OpKind::Select => "select",
            OpKind::Cast(kind) => kind.name(),
            OpKind::AddPtr => "addptr",
            OpKind::Load => "load",
            OpKind::Store => "store",
            OpKind::For => "for",
            OpKind::If => "if",
            OpKind::While => "while",
            OpKind::Yield => "yield",
            OpKind::Condition => "condition",
        }
    }

    /// What it does to memory.
    pub const fn effects(&self) -> Effects {
        match self {
            OpKind::Load => Effects::Reads,
            OpKind::Store => Effects::Writes,
            OpKind::For | OpKind::If | OpKind::While => Effects::OfRegions,
            OpKind::Const(_)
            | OpKind::ProgramId(_)
            | OpKind::NumPrograms(_)
            | OpKind::Range { .. }
            | OpKind::Splat
            | OpKind::ExpandDims { .. }
            | OpKind::Broadcast
            | OpKind::Reshape
            | OpKind::Transpose { .. }
            | OpKind::Reduce { .. }
            | OpKind::Scan { .. }
            | OpKind::Join
            | OpKind::Split
            | OpKind::Gather { .. }
            | OpKind::Histogram
            | OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Fma
            | OpKind::Cmp(_)
            | OpKind::Select
            | OpKind::Cast(_)
            | OpKind::AddPtr
            | OpKind::Yield
            | OpKind::Condition => Effects::None,
        }
    }

    /// How control passes through it.
    pub const fn flow(&self) -> Flow {
        match self {
            OpKind::Reduce { .. } | OpKind::Scan { .. } => Flow::Combiner,
            OpKind::For => Flow::CountedLoop,
            OpKind::If => Flow::Branch,
            OpKind::While => Flow::OpenLoop,
            OpKind::Yield | OpKind::Condition => Flow::Terminator,
            OpKind::Const(_)
            | OpKind::ProgramId(_)
            | OpKind::NumPrograms(_)
            | OpKind::Range { .. }
            | OpKind::Splat
            | OpKind::ExpandDims { .. }
            | OpKind::Broadcast
            | OpKind::Reshape
            | OpKind::Transpose { .. }
            | OpKind::Join
            | OpKind::Split
            | OpKind::Gather { .. }
            | OpKind::Histogram
            | OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Fma
            | OpKind::Cmp(_)
            | OpKind::Select
            | OpKind::Cast(_)
            | OpKind::AddPtr
            | OpKind::Load
            | OpKind::Store => Flow::Straight,
        }
    }

    /// Does it neither touch memory nor decide which operations run? Such operations can be removed when unused and
    /// merged when equal (with equal regions).
    pub const fn is_pure(&self) -> bool {
        match self.effects() {
            Effects::None => !self.is_terminator(),
            Effects::Reads | Effects::Writes | Effects::OfRegions => false,
        }
    }

    /// Must it run even if nothing uses its results? Writes can be seen, and so can a loop that never ends.
    pub const fn is_observable(&self) -> bool {
        let endless = match self.flow() {
            Flow::OpenLoop => true,
            Flow::Straight | Flow::Combiner | Flow::Branch | Flow::CountedLoop | Flow::Terminator => false,
        };
        match self.effects() {
            Effects::Writes => true,
            Effects::None | Effects::Reads | Effects::OfRegions => endless,
        }
    }

    /// Does it end a region?
    pub const fn is_terminator(&self) -> bool {
        match self.flow() {
            Flow::Terminator => true,
            Flow::Straight | Flow::Combiner | Flow::Branch | Flow::CountedLoop | Flow::OpenLoop => false,
        }
    }

    /// May its regions run more than once?
    pub const fn is_loop(&self) -> bool {
        match self.flow() {
            Flow::CountedLoop | Flow::OpenLoop => true,
            Flow::Straight | Flow::Combiner | Flow::Branch | Flow::Terminator => false,
        }
    }

    /// Are its regions isolated, so that they see no value from outside?
    pub const fn is_isolated(&self) -> bool {
        match self.flow() {
            Flow::Combiner => true,
            Flow::Straight | Flow::Branch | Flow::CountedLoop | Flow::OpenLoop | Flow::Terminator => false,
        }
    }

    /// Does it compute each element from those of its operands at the same place? Such operations, on scalars, make up
    /// the combiner of a reduction or scan; constants are among them.
    pub const fn is_elementwise(&self) -> bool {
        match self {
            OpKind::Const(_)
            | OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Fma
            | OpKind::Cmp(_)
            | OpKind::Select
            | OpKind::Cast(_) => true,
            OpKind::ProgramId(_)
            | OpKind::NumPrograms(_)
            | OpKind::Range { .. }
            | OpKind::Splat
            | OpKind::ExpandDims { .. }
            | OpKind::Broadcast
            | OpKind::Reshape
            | OpKind::Transpose { .. }
            | OpKind::Reduce { .. }
            | OpKind::Scan { .. }
            | OpKind::Join
            | OpKind::Split
            | OpKind::Gather { .. }
            | OpKind::Histogram
            | OpKind::AddPtr
            | OpKind::Load
            | OpKind::Store
            | OpKind::For
            | OpKind::If
            | OpKind::While
            | OpKind::Yield
            | OpKind::Condition => false,
        }
    }

    /// The number of regions that it holds.
    pub const fn region_count(&self) -> usize {
        match self.flow() {
            Flow::Combiner | Flow::CountedLoop => 1,
            Flow::Branch | Flow::OpenLoop => 2,
            Flow::Straight | Flow::Terminator => 0,
        }
    }
}

/// What an operation does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effects {
    /// Neither reads nor writes it.
    None,
    /// Reads it: equal ones may differ with a write between them.
    Reads,
    /// Writes it, and perhaps reads it too.
    Writes,
    /// What the operations in its regions do.
    OfRegions,
}

/// How control passes through an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next operation: it holds no region.
    Straight,
    /// To the next operation: its one region, isolated, says how elements are combined.
    Combiner,
    /// Through one of two regions.
    Branch,
    /// Through its region as often as its bounds say.
    CountedLoop,
    /// Through two regions in turn until the first one ends the loop, which may be never.
    OpenLoop,
    /// Out of the region that it ends.
    Terminator,
}
