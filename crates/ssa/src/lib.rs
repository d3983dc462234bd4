//! Typed SSA of tile kernels: the form that every front end produces and every backend and interpreter starts from.
//!
//! A [`Kernel`] says what one program instance does. Its values are scalars and blocks ([`Type`]); its operations
//! ([`OpKind`]) stand in structured regions (`for`, `if`, `while`), so that no control-flow graph is needed. Kernels
//! are made by a [`Builder`] or read from text.

mod builder;
mod constant;
mod kernel;
mod loc;
mod op;
mod types;
mod typing;

pub use builder::{BuildError, Builder, StructureError};
pub use constant::Const;
pub use kernel::{Kernel, Module, OpData, OpId, Param, RegionData, RegionId, ValueData, ValueDef, ValueId};
pub use loc::Loc;
pub use op::{Axis, BinaryOp, CastKind, CmpPred, Domain, OpKind, UnaryOp};
pub use types::{Elem, MAX_BLOCK_ELEMENTS, MAX_RANK, Scalar, Shape, ShapeError, Type, UnknownName};
pub use typing::{TypeError, result_type};
