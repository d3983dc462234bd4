//! The operations of the language and what each means.
//!
//! An operation has one meaning for every front end, backend and device; what a source language spells differently
//! is the front end's affair. Element-wise operations take scalars or tiles of one shape: broadcasting is explicit
//! ([`OpKind::Splat`], [`OpKind::ExpandDims`], [`OpKind::Broadcast`]).
//!
//! Integer types say nothing of a sign: where it matters, the operation does (`div_s`, `div_u`). An `i1` is a boolean
//! and has no sign to speak of (two's complement would make `true` -1, arithmetic of booleans 1), so the operations
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
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:expr,)* }) => {
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

#[macro_use]
mod elementwise;

pub use elementwise::{
    Accuracy, Approximation, BinaryOp, CastKind, CmpPred, Domain, FastMath, Identity, MlirForm, UnaryOp, Undefined,
};

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
    /// The combiner is taken to be associative and commutative, and backends choose the order. The reference interpreter's
    /// is from index 0 on: `combine(combine(x0, x1), x2)` and so on, without an identity element.
    Reduce {
        /// The dimension that goes.
        axis: usize,
    },
    /// `tiles... -> same`: the running combination along an axis, its element `i` that of the elements 0 to `i`. Operands
    /// and region are those of [`OpKind::Reduce`], the left arguments being the prefix. The combiner is taken to be
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
    /// `a, b -> same as a`, both of one type; the second of `powi` is an `i32`, or a tile of them in the shape of the first.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_numbered_from_0() {
        let numbers: Vec<usize> = Axis::ALL.iter().map(|axis| axis.index()).collect();
        assert_eq!(numbers, [0, 1, 2]);
        for &axis in Axis::ALL {
            assert_eq!(Axis::from_index(axis.index()), Some(axis));
        }
        assert_eq!(Axis::from_index(3), None);
    }

    /// Exact in every type, and in its approximation if it has one.
    #[test]
    fn results_without_any_error_are_exact() {
        let exact = UnaryOp::Abs.accuracy();
        assert!(exact.is_exact());
        for inexact in [
            Accuracy { f32: 0.5, ..exact },
            Accuracy { f64: 0.5, ..exact },
            Accuracy {
                approximation: Some(Approximation::Ulp(2.0)),
                ..exact
            },
        ] {
            assert!(!inexact.is_exact(), "{inexact:?}");
        }
        let rounded = UnaryOp::ALL.iter().filter(|op| op.accuracy().f32 == 0.5);
        assert!(rounded.map(|op| op.accuracy()).all(|accuracy| !accuracy.is_exact()));
    }
}
