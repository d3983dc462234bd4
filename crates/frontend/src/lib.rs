//! The Rust front end: kernels as ordinary Rust code that, when run, builds typed SSA.
//!
//! There are two faces with the same power. The `#[kernel]` attribute turns a plain function into staging code, so that
//! operators, comparisons, loops and branches read as Rust does; [`KernelBuilder`] is used by hand. Both build through
//! [`Site`], whose methods are the language's builtins, on [`Expr`] values.
//!
//! * **Types** ([`DType`]): integers have a sign here. Run-time values promote as [`DType::promote`] says; a compile-time
//!   constant takes the type of what it meets ([`Literal::type_with`]), and must fit it.
//! * **Shapes** broadcast: padded with 1 on the left, extents of 1 stretched.
//! * **Mistakes** never panic. Each is noted with its `file:line:column`; [`FrontendError`] has them all.
//! * **Kernels as data** ([`KernelDef`]): what launchers need to know, and a function that builds the SSA.

mod arith;
mod branch;
mod builder;
mod carry;
mod combine;
mod def;
mod dtype;
mod error;
mod expr;
mod fold;
mod hand;
mod literal;
mod looping;
mod math;
mod memory;
mod movement;
mod rearrange;
mod reductions;
mod shape;
mod site;
mod sort;
mod staged;

pub use arith::{BinOp, CmpOp};
pub use branch::Branch;
pub use builder::{Frame, KernelBuilder};
pub use def::{
    BuildFn, ConstexprKind, ConstexprValue, DTypeRef, KernelDef, ParamDef, ParamKind, ScalarValue, Specialization,
    stage,
};
pub use dtype::{DType, ElemType, Element, Kind, ValueType};
pub use error::{Diagnostic, FrontendError};
pub use expr::{Expr, IntoExpr};
pub use half::{bf16, f16};
pub use literal::{Literal, LiteralError, Number, Own};
pub use looping::{ForLoop, WhileLoop};
pub use memory::{Load, Store};
pub use mytriton_ssa::Kernel;
pub use shape::IntoShape;
pub use site::{DeviceSite, Site, device_site};
pub use staged::Staged;
