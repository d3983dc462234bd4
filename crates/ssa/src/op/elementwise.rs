//! The operations of the table `elementwise.in`: enums and properties, all of them made from its rows.

use std::fmt;
use std::str::FromStr;

use crate::constant::Const;
use crate::types::{Scalar, UnknownName};

/// The kinds of numbers that an operation is defined for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Integers, `i1` among them.
    Int,
    /// Floating-point numbers.
    Float,
    /// Both.
    Number,
    /// `f32` and `f64`.
    Wide,
}

impl Domain {
    /// Does it contain a type?
    pub const fn contains(self, scalar: Scalar) -> bool {
        match self {
            Domain::Int => scalar.is_int(),
            Domain::Float => scalar.is_float(),
            Domain::Number => true,
            Domain::Wide => matches!(scalar, Scalar::F32 | Scalar::F64),
        }
    }

    /// Its numbers, as messages name them.
    pub const fn describe(self) -> &'static str {
        match self {
            Domain::Int => "integers",
            Domain::Float => "floating-point numbers",
            Domain::Number => "numbers",
            Domain::Wide => "f32 and f64",
        }
    }
}

/// For which operands an operation has no specified result.
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

/// The identity element of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// 0 or 0.0.
    Zero,
    /// 1 or 1.0.
    One,
    /// All bits set: the largest unsigned integer.
    Ones,
    /// The smallest signed integer.
    Smallest,
    /// The largest signed integer.
    Largest,
    /// -0.0: adding 0.0 would make 0.0 of -0.0.
    MinusZero,
    /// NaN, which loses against every number. An infinity would win over NaN.
    Nan,
    /// Infinity.
    Infinity,
    /// -infinity.
    MinusInfinity,
}

impl Identity {
    /// The constant of a type.
    pub fn constant(self, scalar: Scalar) -> Const {
        let smallest = 1 << (scalar.bits() - 1);
        match self {
            Identity::Zero => Const::zero(scalar),
            Identity::One => Const::from_f64(scalar, 1.0),
            Identity::Ones => Const::from_bits(scalar, scalar.bit_mask()),
            Identity::Smallest => Const::from_bits(scalar, smallest),
            Identity::Largest => Const::from_bits(scalar, smallest - 1),
            Identity::MinusZero => Const::from_f64(scalar, -0.0),
            Identity::Nan => Const::from_f64(scalar, f64::NAN),
            Identity::Infinity => Const::from_f64(scalar, f64::INFINITY),
            Identity::MinusInfinity => Const::from_f64(scalar, f64::NEG_INFINITY),
        }
    }
}

/// How far results are from the exact ones at most, in units in the last place: 0 is exact, a half correctly rounded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accuracy {
    /// In `f32`, without approximation.
    pub f32: f64,
    /// In `f64`.
    pub f64: f64,
    /// What the compiler's approximation in `f32` holds instead, where it takes one.
    pub approximation: Option<Approximation>,
    /// What CUDA documents for its functions in `f32` and `f64`.
    pub cuda: (f64, f64),
    /// Is the error relative to 1 where results are smaller than that?
    pub from_one: bool,
}

/// The error of an approximation in `f32`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Approximation {
    /// So many units in the last place.
    Ulp(f64),
    /// That of `exp` by way of 2^(x log2 e): relative 2^-22 + abs(x) 2^-23.
    Exp,
}

impl Accuracy {
    /// Are all results the exact ones?
    pub const fn is_exact(self) -> bool {
        self.f32 == 0.0 && self.f64 == 0.0 && self.approximation.is_none()
    }

    const fn same(ulp: f64) -> Accuracy {
        Accuracy::of(ulp, ulp, None, (ulp, ulp), false)
    }

    const fn of(
        f32: f64,
        f64: f64,
        approximation: Option<Approximation>,
        cuda: (f64, f64),
        from_one: bool,
    ) -> Accuracy {
        Accuracy {
            f32,
            f64,
            approximation,
            cuda,
            from_one,
        }
    }
}

/// A fast-math flag of LLVM and MLIR (LLVM Language Reference, "Fast-Math Flags").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FastMath {
    /// `afn`: an approximation of a function.
    ApproximateFunction,
    /// `arcp`: a product with the reciprocal for a division.
    Reciprocal,
}

macro_rules! fast_math {
    (afn) => {
        FastMath::ApproximateFunction
    };
    (arcp) => {
        FastMath::Reciprocal
    };
}

/// How an operation is written in MLIR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MlirForm {
    /// The operation's name.
    pub name: &'static str,
    /// The fast-math flag that tells it from another one of the same name.
    pub flag: Option<FastMath>,
    /// An operation that reads as this one but is never written: what this one leaves undefined in fewer places.
    pub refines: Option<&'static str>,
    /// The function's name, of `tile.unary_function` and `tile.binary_function`.
    pub function: Option<&'static str>,
}

impl MlirForm {
    const fn named(name: &'static str) -> MlirForm {
        MlirForm {
            name,
            flag: None,
            refines: None,
            function: None,
        }
    }
}

macro_rules! mlir_form {
    ([none]) => {
        None
    };
    ([$name:literal]) => {
        Some(MlirForm::named($name))
    };
    ([$name:literal $flag:ident]) => {
        Some(MlirForm {
            flag: Some(fast_math!($flag)),
            ..MlirForm::named($name)
        })
    };
    ([$name:literal or $refined:literal]) => {
        Some(MlirForm {
            refines: Some($refined),
            ..MlirForm::named($name)
        })
    };
    ([function] $name:ident in $operation:literal) => {
        Some(MlirForm {
            function: Some(stringify!($name)),
            ..MlirForm::named($operation)
        })
    };
    ($form:tt $name:ident in $operation:literal) => {
        mlir_form!($form)
    };
}

macro_rules! library {
    ([none]) => {
        None
    };
    ([$name:literal]) => {
        Some($name)
    };
}

macro_rules! accuracy {
    ([exact]) => {
        Accuracy::same(0.0)
    };
    ([rounded]) => {
        Accuracy::same(0.5)
    };
    ([$f32:literal $f64:literal; cuda $c32:literal $c64:literal]) => {
        Accuracy::of($f32, $f64, None, ($c32, $c64), false)
    };
    ([$f32:literal $f64:literal from_one; cuda $c32:literal $c64:literal]) => {
        Accuracy::of($f32, $f64, None, ($c32, $c64), true)
    };
    ([$f32:literal $f64:literal; approx exp; cuda $c32:literal $c64:literal]) => {
        Accuracy::of($f32, $f64, Some(Approximation::Exp), ($c32, $c64), false)
    };
    ([$f32:literal $f64:literal; approx $ulp:literal; cuda $c32:literal $c64:literal]) => {
        Accuracy::of($f32, $f64, Some(Approximation::Ulp($ulp)), ($c32, $c64), false)
    };
}

macro_rules! second_operand {
    (same $first:ident) => {
        $first
    };
    (i32 $first:ident) => {
        Scalar::I32
    };
}

macro_rules! unsigned_form {
    ($enum:ident [signed $unsigned:ident]) => {
        Some($enum::$unsigned)
    };
    ($enum:ident $other:tt) => {
        None
    };
}

macro_rules! undefined {
    ([none]) => {
        None
    };
    ([by_zero]) => {
        Some(Undefined::ByZero)
    };
    ([by_zero_or_overflow]) => {
        Some(Undefined::ByZeroOrOverflow)
    };
}

macro_rules! is_commutative {
    ([none]) => {
        false
    };
    ([commutative associative]) => {
        true
    };
}

macro_rules! is_associative {
    ([none]) => {
        false
    };
    ([commutative associative]) => {
        true
    };
}

macro_rules! identity {
    (none) => {
        None
    };
    ($element:ident) => {
        Some(Identity::$element)
    };
}

macro_rules! is_equality {
    ([equality]) => {
        true
    };
    ($other:tt) => {
        false
    };
}

macro_rules! is_unsigned {
    ([unsigned]) => {
        true
    };
    ($other:tt) => {
        false
    };
}

macro_rules! predicate {
    ([none]) => {
        None
    };
    ([$number:literal]) => {
        Some($number)
    };
}

/// Defines [`library_functions`] from the names and library functions of the operations of two numbers.
macro_rules! define_library_functions {
    ([$($found:ident)*]) => {
        /// The pattern of every [`BinaryOp`](crate::BinaryOp) that the mathematics library computes: those that no match over
        /// operations on integers needs to tell apart.
        #[macro_export]
        macro_rules! library_functions {
            () => { $($crate::BinaryOp::$found)|* };
        }
    };
    ([$($found:ident)*] $op:ident [none] $($rest:tt)*) => {
        define_library_functions!([$($found)*] $($rest)*);
    };
    ([$($found:ident)*] $op:ident [$library:literal] $($rest:tt)*) => {
        define_library_functions!([$($found)* $op] $($rest)*);
    };
}

macro_rules! elementwise_operations {
    (
        unary { $($u:ident $u_name:ident $u_takes:ident $u_builtin:ident $u_int:tt $u_float:tt $u_library:tt
            $u_error:tt $u_meaning:literal;)* }
        binary { $($b:ident $b_name:ident $b_takes:ident $b_second:ident $b_builtin:ident $b_reads:tt
            $b_undefined:tt $b_order:tt [$b_int_identity:ident, $b_float_identity:ident] $b_int:tt $b_float:tt
            $b_library:tt $b_error:tt $b_meaning:literal;)* }
        comparisons { $($c:ident $c_name:ident $c_reads:tt $c_swapped:ident $c_int:tt $c_float:tt
            $c_meaning:literal;)* }
        casts { $($k:ident $k_name:ident $k_form:tt $k_meaning:literal;)* }
    ) => {
        named_enum! {
            /// Functions of one number. On `f16` and `bf16` the transcendental ones compute in `f32` and round once.
            UnaryOp { $(#[doc = $u_meaning] $u = stringify!($u_name),)* }
        }

        impl UnaryOp {
            /// What it takes.
            pub const fn domain(self) -> Domain {
                match self { $(UnaryOp::$u => Domain::$u_takes,)* }
            }

            /// What it means, in a line.
            pub const fn meaning(self) -> &'static str {
                match self { $(UnaryOp::$u => $u_meaning,)* }
            }

            /// Its form in MLIR on integers.
            pub const fn int_form(self) -> Option<MlirForm> {
                match self { $(UnaryOp::$u => mlir_form!($u_int $u_name in "tile.unary_function"),)* }
            }

            /// Its form in MLIR on floats.
            pub const fn float_form(self) -> Option<MlirForm> {
                match self { $(UnaryOp::$u => mlir_form!($u_float $u_name in "tile.unary_function"),)* }
            }

            /// The function of the mathematics library that computes it, if one does.
            pub const fn library(self) -> Option<&'static str> {
                match self { $(UnaryOp::$u => library!($u_library),)* }
            }

            /// How accurate it is on floats.
            pub const fn accuracy(self) -> Accuracy {
                match self { $(UnaryOp::$u => accuracy!($u_error),)* }
            }
        }

        named_enum! {
            /// Functions of two numbers. Integers wrap in two's complement.
            BinaryOp { $(#[doc = $b_meaning] $b = stringify!($b_name),)* }
        }

        impl BinaryOp {
            /// What it takes as its first operand.
            pub const fn domain(self) -> Domain {
                match self { $(BinaryOp::$b => Domain::$b_takes,)* }
            }

            /// The type of its second operand, given that of the first one: the same but for `powi`.
            pub const fn second_operand(self, first: Scalar) -> Scalar {
                match self { $(BinaryOp::$b => second_operand!($b_second first),)* }
            }

            /// What it means, in a line.
            pub const fn meaning(self) -> &'static str {
                match self { $(BinaryOp::$b => $b_meaning,)* }
            }

            /// Of an operation that reads its integers as signed, the unsigned one.
            pub const fn unsigned(self) -> Option<BinaryOp> {
                match self { $(BinaryOp::$b => unsigned_form!(BinaryOp $b_reads),)* }
            }

            /// For which operands the result is unspecified, if for any.
            pub const fn undefined(self) -> Option<Undefined> {
                match self { $(BinaryOp::$b => undefined!($b_undefined),)* }
            }

            /// Does swapping the operands never change the result?
            pub const fn is_commutative(self) -> bool {
                match self { $(BinaryOp::$b => is_commutative!($b_order),)* }
            }

            /// Is the result of combining many elements, rounding aside, independent of how they are put in pairs?
            pub const fn is_associative(self) -> bool {
                match self { $(BinaryOp::$b => is_associative!($b_order),)* }
            }

            /// The constant `c` of a type for which `x op c` is `x` for every `x`, a NaN's bits aside; and `c op x` too, if
            /// the operation is commutative.
            pub fn identity(self, scalar: Scalar) -> Option<Const> {
                let (int, float) = match self {
                    $(BinaryOp::$b => (identity!($b_int_identity), identity!($b_float_identity)),)*
                };
                let identity: Option<Identity> = if scalar.is_int() { int } else { float };
                identity.map(|identity| identity.constant(scalar))
            }

            /// Its form in MLIR on integers.
            pub const fn int_form(self) -> Option<MlirForm> {
                match self { $(BinaryOp::$b => mlir_form!($b_int $b_name in "tile.binary_function"),)* }
            }

            /// Its form in MLIR on floats.
            pub const fn float_form(self) -> Option<MlirForm> {
                match self { $(BinaryOp::$b => mlir_form!($b_float $b_name in "tile.binary_function"),)* }
            }

            /// The function of the mathematics library that computes it, if one does.
            pub const fn library(self) -> Option<&'static str> {
                match self { $(BinaryOp::$b => library!($b_library),)* }
            }

            /// How accurate it is on floats.
            pub const fn accuracy(self) -> Accuracy {
                match self { $(BinaryOp::$b => accuracy!($b_error),)* }
            }
        }

        define_library_functions!([] $($b $b_library)*);

        named_enum! {
            /// Comparisons. Float ones are ordered, that is false when an operand is NaN, except `ne`, which is true.
            CmpPred { $(#[doc = $c_meaning] $c = stringify!($c_name),)* }
        }

        impl CmpPred {
            /// What it means, in a line.
            pub const fn meaning(self) -> &'static str {
                match self { $(CmpPred::$c => $c_meaning,)* }
            }

            /// Is it for unsigned integers alone?
            pub const fn is_unsigned(self) -> bool {
                match self { $(CmpPred::$c => is_unsigned!($c_reads),)* }
            }

            /// Does it compare for equality alone, as pointers can be?
            pub const fn is_equality(self) -> bool {
                match self { $(CmpPred::$c => is_equality!($c_reads),)* }
            }

            /// Of an order that reads integers as signed, the unsigned one.
            pub const fn unsigned(self) -> Option<CmpPred> {
                match self { $(CmpPred::$c => unsigned_form!(CmpPred $c_reads),)* }
            }

            /// The predicate that holds of (b, a) when this one holds of (a, b).
            pub const fn swapped(self) -> CmpPred {
                match self { $(CmpPred::$c => CmpPred::$c_swapped,)* }
            }

            /// The number of the predicate of `arith.cmpi`.
            pub const fn cmpi(self) -> Option<i64> {
                match self { $(CmpPred::$c => predicate!($c_int),)* }
            }

            /// The number of the predicate of `arith.cmpf`.
            pub const fn cmpf(self) -> Option<i64> {
                match self { $(CmpPred::$c => predicate!($c_float),)* }
            }
        }

        named_enum! {
            /// Conversions of the element type; the shape stays. Conversion to `i1` is a comparison with zero instead.
            CastKind { $(#[doc = $k_meaning] $k = stringify!($k_name),)* }
        }

        impl CastKind {
            /// What it means, in a line.
            pub const fn meaning(self) -> &'static str {
                match self { $(CastKind::$k => $k_meaning,)* }
            }

            /// Its form in MLIR.
            pub const fn form(self) -> Option<MlirForm> {
                match self { $(CastKind::$k => mlir_form!($k_form),)* }
            }
        }
    };
}

include!("elementwise.in");
