//! Typed SSA of tile kernels: the form that every front end produces and every backend and interpreter starts from.
//!
//! A [`Kernel`] says what one program instance does. Its values are scalars and tiles ([`Type`]); its operations
//! ([`OpKind`]) stand in structured regions (`for`, `if`, `while`), so that no control-flow graph is needed. Kernels
//! are made by a [`Builder`] or read from text.

// Its macros are used by the modules below.
#[macro_use]
mod op;

mod associative;
mod builder;
mod constant;
mod eval;
mod kernel;
mod loc;
mod optimise;
pub mod parse;
mod permutation;
mod print;
mod print_names;
mod types;
mod typing;
pub mod verify;

pub use associative::{non_associative, non_associative_message};
pub use builder::{BuildError, Builder, StructureError};
pub use constant::Const;
pub use eval::{eval_binary, eval_cast, eval_cmp, eval_fma, eval_select, eval_unary};
pub use kernel::{Kernel, Module, OpData, OpId, Param, RegionData, RegionId, ValueData, ValueDef, ValueId};
pub use loc::Loc;
pub use op::{
    Accuracy, Approximation, Axis, BinaryOp, CastKind, CmpPred, Domain, Effects, FastMath, Flow, Identity, MlirForm,
    OpKind, UnaryOp, Undefined,
};
pub use optimise::{OptLevel, Phase, optimise};
pub use parse::{ParseError, ParseErrorKind, parse_module};
pub use permutation::{Permutation, PermutationError};
pub use print::{KernelDisplay, ModuleDisplay, PrintOptions};
pub use types::{Elem, MAX_RANK, MAX_TILE_ELEMENTS, Scalar, Shape, ShapeError, Type, UnknownName};
pub use typing::{MAX_REDUCED, TypeError, reduction_types, result_type, result_types};
pub use verify::{MAX_NESTING, Rule, VerifyError, VerifyErrors, verify, verify_module};
