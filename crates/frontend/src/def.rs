//! Kernels as launchers see them: a name, parameters, and a function that builds SSA for given constexpr values.

use std::hash::{Hash, Hasher};

use mytriton_ssa::Kernel;

use crate::builder::{Frame, KernelBuilder};
use crate::dtype::{DType, Element};
use crate::error::FrontendError;
use crate::expr::{Expr, IntoExpr};
use crate::literal::{Literal, Number, Own};

/// The element type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DTypeRef {
    /// This type.
    Is(DType),
    /// The kernel's type parameter of that number, whose value comes with the constexpr arguments.
    Generic(usize),
}

/// The kinds of values that a constexpr parameter may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ConstexprKind {
    Bool,
    I32,
    I64,
    F32,
    F64,
    DType,
}

impl ConstexprKind {
    /// The type as the kernel's author writes it.
    pub const fn name(self) -> &'static str {
        match self {
            ConstexprKind::Bool => "bool",
            ConstexprKind::I32 => "i32",
            ConstexprKind::I64 => "i64",
            ConstexprKind::F32 => "f32",
            ConstexprKind::F64 => "f64",
            ConstexprKind::DType => "DType",
        }
    }
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// A pointer, passed at launch.
    Ptr(DTypeRef),
    /// A scalar, passed at launch.
    Scalar(DTypeRef),
    /// A value that the kernel is compiled for.
    Constexpr(ConstexprKind),
}

/// A parameter of a kernel, in the order of its declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamDef {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: ParamKind,
    /// Its line in the source, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}

/// The value of a constexpr parameter. Floats compare and hash by their bits.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum ConstexprValue {
    Bool(bool),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    DType(DType),
}

impl ConstexprValue {
    /// What it is a value of.
    pub const fn kind(self) -> ConstexprKind {
        match self {
            ConstexprValue::Bool(_) => ConstexprKind::Bool,
            ConstexprValue::I32(_) => ConstexprKind::I32,
            ConstexprValue::I64(_) => ConstexprKind::I64,
            ConstexprValue::F32(_) => ConstexprKind::F32,
            ConstexprValue::F64(_) => ConstexprKind::F64,
            ConstexprValue::DType(_) => ConstexprKind::DType,
        }
    }

    fn bits(self) -> u64 {
        match self {
            ConstexprValue::Bool(v) => u64::from(v),
            ConstexprValue::I32(v) => v as u64,
            ConstexprValue::I64(v) => v as u64,
            ConstexprValue::F32(v) => u64::from(v.to_bits()),
            ConstexprValue::F64(v) => v.to_bits(),
            ConstexprValue::DType(v) => v as u64,
        }
    }
}

impl PartialEq for ConstexprValue {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), self.bits()) == (other.kind(), other.bits())
    }
}

impl Eq for ConstexprValue {}

impl Hash for ConstexprValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind() as u8, self.bits()).hash(state);
    }
}

impl<'k> IntoExpr<'k> for ConstexprValue {
    fn into_expr(self, k: &'k KernelBuilder) -> Expr<'k> {
        let declared = |value, dtype| Literal {
            value,
            own: Own::Declared(dtype),
        };
        match self {
            ConstexprValue::Bool(v) => v.into_expr(k),
            ConstexprValue::I32(v) => declared(Number::Int(v.into()), DType::I32).into_expr(k),
            ConstexprValue::I64(v) => declared(Number::Int(v.into()), DType::I64).into_expr(k),
            ConstexprValue::F32(v) => declared(Number::Float(v.into()), DType::F32).into_expr(k),
            ConstexprValue::F64(v) => declared(Number::Float(v), DType::F64).into_expr(k),
            ConstexprValue::DType(v) => v.into_expr(k),
        }
    }
}

macro_rules! constexpr_from {
    ($($ty:ty: $variant:ident;)*) => {$(
        impl From<$ty> for ConstexprValue {
            fn from(value: $ty) -> Self {
                ConstexprValue::$variant(value)
            }
        }
    )*};
}

constexpr_from! { bool: Bool; i32: I32; i64: I64; f32: F32; f64: F64; DType: DType; }

/// A scalar argument: its type and bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScalarValue {
    /// The type.
    pub dtype: DType,
    /// The value's bits, upper bits zero.
    pub bits: u64,
}

impl ScalarValue {
    /// The argument of a host value.
    pub fn new<T: Element>(value: T) -> ScalarValue {
        ScalarValue {
            dtype: T::DTYPE,
            bits: value.to_bits(),
        }
    }
}

/// Facts about the run-time arguments that a kernel is compiled for. They never change types or results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Specialization {
    divisible_by_16: u128,
}

impl Specialization {
    /// A kernel has at most so many run-time parameters.
    pub const MAX_PARAMS: usize = 128;

    /// No facts: right for all arguments.
    pub const NONE: Specialization = Specialization { divisible_by_16: 0 };

    /// Adds the fact that run-time parameter number `index` (constexpr ones not counted) is an integer divisible by 16, or
    /// a pointer to an address that is.
    pub const fn with_divisible_by_16(self, index: usize) -> Specialization {
        Specialization {
            divisible_by_16: self.divisible_by_16 | (1u128 << (index % Self::MAX_PARAMS)),
        }
    }

    /// Is run-time parameter number `index` known to be divisible by 16?
    pub const fn is_divisible_by_16(self, index: usize) -> bool {
        index < Self::MAX_PARAMS && self.divisible_by_16 >> index & 1 == 1
    }
}

/// Builds a kernel for constexpr values (type parameters first, then constexpr parameters in order) and facts.
pub type BuildFn = fn(&[ConstexprValue], &Specialization) -> Result<Kernel, FrontendError>;

/// A kernel as `#[kernel]` defines it.
#[derive(Clone, Copy, Debug)]
pub struct KernelDef {
    /// Its name.
    pub name: &'static str,
    /// The source file.
    pub file: &'static str,
    /// Its line in the file, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// The names of its type parameters.
    pub generics: &'static [&'static str],
    /// Its parameters, in order.
    pub params: &'static [ParamDef],
    /// A hash of the kernel's own source text. The device functions and host constants that it uses are not part of it:
    /// a cache that outlives the process keys by the built SSA.
    pub source_hash: u64,
    /// Builds its SSA.
    pub build: BuildFn,
}

impl KernelDef {
    /// The parameters passed at launch, in order.
    pub fn runtime_params(&self) -> impl Iterator<Item = &'static ParamDef> {
        let runtime = |p: &&ParamDef| !matches!(p.kind, ParamKind::Constexpr(_));
        self.params.iter().filter(runtime)
    }

    /// The names and kinds of the values that it is compiled for: type parameters, then constexpr parameters.
    pub fn constexprs(&self) -> impl Iterator<Item = (&'static str, ConstexprKind)> {
        let generics = self.generics.iter().map(|&name| (name, ConstexprKind::DType));
        generics.chain(self.params.iter().filter_map(|p| match p.kind {
            ParamKind::Constexpr(kind) => Some((p.name, kind)),
            _ => None,
        }))
    }

    /// The place of the kernel as `file:line:column`.
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    fn check(&self, values: &[ConstexprValue]) -> Result<(), String> {
        let wanted: Vec<_> = self.constexprs().collect();
        if wanted.len() != values.len() {
            let names: Vec<_> = wanted.iter().map(|w| w.0).collect();
            return Err(format!(
                "{} compile-time value(s) were given; it has {}: {}",
                values.len(),
                wanted.len(),
                names.join(", ")
            ));
        }
        for ((name, kind), value) in wanted.into_iter().zip(values) {
            if kind != value.kind() {
                return Err(format!("`{name}` is a {}, not a {}", kind.name(), value.kind().name()));
            }
        }
        Ok(())
    }
}

/// Runs a kernel's staging code: `body` gets the parameters' values, type parameters first. It is a function pointer so
/// that this code is compiled once, and not for each kernel of the user's crate.
pub fn stage(
    def: &'static KernelDef,
    values: &[ConstexprValue],
    facts: &Specialization,
    body: for<'k> fn(&Frame<'k>, &[Expr<'k>]),
) -> Result<Kernel, FrontendError> {
    (def.check(values)).map_err(|message| FrontendError::new(def.name, def.place(), message))?;
    let k = KernelBuilder::new_at(def.name, def.file, def.line, def.column);
    {
        let mut args: Vec<Expr<'_>> = Vec::with_capacity(def.generics.len() + def.params.len());
        let (generic_values, mut constexprs) = values.split_at(def.generics.len());
        args.extend(generic_values.iter().map(|v| v.into_expr(&k)));
        let resolve = |dtype| match dtype {
            DTypeRef::Is(dtype) => Some(dtype),
            DTypeRef::Generic(i) => match generic_values.get(i) {
                Some(ConstexprValue::DType(dtype)) => Some(*dtype),
                _ => None,
            },
        };
        let mut runtime = 0;
        for param in def.params {
            let arg = match param.kind {
                ParamKind::Ptr(dtype) => resolve(dtype).map(|t| k.ptr(param.name, t)),
                ParamKind::Scalar(dtype) => resolve(dtype).map(|t| k.scalar(param.name, t)),
                ParamKind::Constexpr(_) => constexprs.split_first().map(|(first, rest)| {
                    constexprs = rest;
                    first.into_expr(&k)
                }),
            };
            let Some(arg) = arg else {
                let message = format!("the type of parameter `{}` is not known", param.name);
                return Err(FrontendError::new(def.name, def.place(), message));
            };
            if arg.value_id().is_some() {
                if facts.is_divisible_by_16(runtime) {
                    k.assume_divisible(arg, 16);
                }
                runtime += 1;
            }
            args.push(arg);
        }
        body(&k.frame(def.file), &args);
    }
    k.finish()
}
