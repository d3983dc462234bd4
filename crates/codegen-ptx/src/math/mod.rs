//! The mathematics that PTX has no instruction for.
//!
//! A lowering asks for a symbol, declares it as an external function `T (T)` or `T (T, T)` and calls it:
//! `Function::Erf.symbol(Width::F32)` is `__mytriton_erf_f32`. [`link`] later adds the bodies of the functions that a
//! module really calls, from a bitcode library of about a hundred kilobytes inside the executable; the optimiser
//! inlines them. f16 and bf16 have no functions of their own: compute in f32 and round once.
//!
//! # Where the functions come from
//!
//! The build script takes them from LLVM's libclc (generic NVPTX flavour, Apache-2.0 with LLVM exception), except for
//! those that `libm/` defines instead: hot f32 ones, because libclc's are slow on GPUs (its logarithms read lookup
//! tables, its erf evaluates every branch), and ones that are wrong for some operands. Multiply-adds are always fused and denormals kept, so that results depend on
//! neither the fusion option nor the target, and the same bitcode compiled for a CPU gives the same bits. That is how
//! the tests measure the accuracy below.
//!
//! # What is not here
//!
//! NVPTX selects LLVM's own intrinsics for sqrt, fma, fabs, copysign, floor, ceil, trunc, rint, nearbyint, round,
//! roundeven, minnum, maxnum, minimum, maximum, ldexp, frexp, and for exp2 in f32 and f16 (`ex2.approx`).

mod link;

pub use link::{library, link};

/// What every symbol of the library starts with.
pub const PREFIX: &str = "__mytriton_";

/// The floating-point type that a function computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Width {
    /// Both.
    pub const ALL: [Self; 2] = [Self::F32, Self::F64];

    /// `f32` or `f64`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// A function's parameters. The result has the type of the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operands {
    /// `T (T)`
    Unary,
    /// `T (T, T)`
    Binary,
    /// `T (T, i32)`
    UnaryInt,
}

impl Operands {
    /// How many parameters.
    pub const fn count(self) -> usize {
        match self {
            Self::Unary => 1,
            Self::Binary | Self::UnaryInt => 2,
        }
    }
}

macro_rules! math_functions {
    ($($variant:ident $name:literal $operands:ident $f32:literal $f64:literal;)*) => {
        /// A function of the mathematics library, named by the operation of typed SSA that it computes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Function {
            $(
                #[doc = concat!("`", $name, "`: at most ", $f32, " ulp in f32, ", $f64, " ulp in f64.")]
                $variant,
            )*
        }

        impl Function {
            /// All functions, in alphabetical order of their names.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in OpenCL, without a type: `erf`. But for `pown`, x to an i32 power, it is the one in C.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The parameters.
            pub const fn operands(self) -> Operands {
                match self {
                    $(Self::$variant => Operands::$operands,)*
                }
            }

            /// The largest error in units in the last place of the correctly rounded result, as asserted by the
            /// accuracy tests over dense samples and corner cases of all operands (`tests/it/accuracy.rs`). The error of
            /// lgamma is relative to max(|result|, 1); tgamma in f64 is exp of lgamma, hence its large bound.
            pub const fn max_ulp(self, width: Width) -> f64 {
                match (self, width) {
                    $((Self::$variant, Width::F32) => $f32,)*
                    $((Self::$variant, Width::F64) => $f64,)*
                }
            }

            /// The symbol to declare and call.
            pub const fn symbol(self, width: Width) -> &'static str {
                match (self, width) {
                    $((Self::$variant, Width::F32) => concat!("__mytriton_", $name, "_f32"),)*
                    $((Self::$variant, Width::F64) => concat!("__mytriton_", $name, "_f64"),)*
                }
            }
        }
    };
}
include!(concat!(env!("OUT_DIR"), "/functions.in"));

impl Function {
    /// The function of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|function| function.name() == name)
    }

    /// The function and type that a symbol stands for.
    pub fn by_symbol(symbol: &str) -> Option<(Self, Width)> {
        let (name, width) = symbol.strip_prefix(PREFIX)?.rsplit_once('_')?;
        let width = Width::ALL.into_iter().find(|candidate| candidate.name() == width)?;
        Some((Self::by_name(name)?, width))
    }
}
