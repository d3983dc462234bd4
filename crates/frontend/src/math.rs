//! Mathematical builtins.

use mytriton_ssa::{BinaryOp, OpKind, Scalar, UnaryOp};

use crate::arith::{BinOp, CmpOp};
use crate::dtype::{DType, Kind, ValueType};
use crate::expr::{Expr, IntoExpr};
use crate::fold;
use crate::literal::{Literal, Number};
use crate::site::{Built, Operand, Site};

/// The builtin of an operation, on [`Site`] and as a method of [`Expr`], if the table gives it one of its name.
macro_rules! builtin {
    (other $($rest:tt)*) => {};
    (method unary $op:ident $name:ident $meaning:literal) => {
        impl<'k> Site<'k> {
            #[doc = concat!("Element by element: ", $meaning, ".")]
            pub fn $name(self, x: impl IntoExpr<'k>) -> Expr<'k> {
                self.unary(stringify!($name), UnaryOp::$op, x)
            }
        }

        impl<'k> Expr<'k> {
            #[doc = concat!("Element by element: ", $meaning, ".")]
            #[track_caller]
            pub fn $name(self) -> Expr<'k> {
                self.k.here().$name(self)
            }
        }
    };
    (method $second:ident $op:ident $name:ident $meaning:literal) => {
        impl<'k> Site<'k> {
            #[doc = concat!("Element by element, of x and y: ", $meaning, ".")]
            pub fn $name(self, x: impl IntoExpr<'k>, y: impl IntoExpr<'k>) -> Expr<'k> {
                self.float_binary(stringify!($name), BinaryOp::$op, self.lift(x), self.lift(y))
            }
        }

        impl<'k> Expr<'k> {
            #[doc = concat!("Element by element, of x (`self`) and y: ", $meaning, ".")]
            #[track_caller]
            pub fn $name(self, y: impl IntoExpr<'k>) -> Expr<'k> {
                self.k.here().$name(self, y)
            }
        }
    };
}

macro_rules! elementwise_operations {
    (
        unary { $($u:ident $u_name:ident $u_takes:ident $u_builtin:ident $u_int:tt $u_float:tt $u_library:tt
            $u_error:tt $u_meaning:literal;)* }
        binary { $($b:ident $b_name:ident $b_takes:ident $b_second:ident $b_builtin:ident $b_reads:tt
            $b_undefined:tt $b_order:tt $b_identity:tt $b_int:tt $b_float:tt $b_library:tt $b_error:tt
            $b_meaning:literal;)* }
        comparisons { $($comparisons:tt)* }
        casts { $($casts:tt)* }
    ) => {
        $(builtin!($u_builtin unary $u $u_name $u_meaning);)*
        $(builtin!($b_builtin $b_second $b $b_name $b_meaning);)*
    };
}

include!("../../ssa/src/op/elementwise.in");

/// Builtins of two numbers, on [`Site`] and as methods of [`Expr`].
macro_rules! binary_builtins {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl<'k> Expr<'k> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(self, other: impl IntoExpr<'k>) -> Expr<'k> {
                self.k.here().$name(self, other)
            }
        )*}
    };
}

binary_builtins! {
    /// The smaller; a NaN counts only against another.
    minimum;
    /// The larger; a NaN counts only against another.
    maximum;
    /// The smaller, NaN if either is.
    minimum_nan;
    /// The larger, NaN if either is.
    maximum_nan;
    /// `ceil(self / other)` of integers.
    cdiv;
}

/// Is it an integer type whose values an `i32` holds?
fn fits_i32(t: DType) -> bool {
    let holds = |(low, high): (i128, i128)| low >= i32::MIN.into() && high <= i32::MAX.into();
    t.kind() == Kind::Int && t.int_range().is_some_and(holds)
}

impl<'k> Expr<'k> {
    /// Along an axis, exp(x - max(x)) over its sum: see [`Site::softmax`].
    #[track_caller]
    pub fn softmax(self, axis: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().softmax_along(self, axis)
    }

    /// 1 / (1 + exp(-x)).
    #[track_caller]
    pub fn sigmoid(self) -> Expr<'k> {
        self.k.here().sigmoid(self)
    }
}

impl<'k> Site<'k> {
    fn unary(self, name: &str, op: UnaryOp, x: impl IntoExpr<'k>) -> Expr<'k> {
        let x = self.lift(x);
        let built = (|| {
            let wrong = |what: String| match op {
                UnaryOp::Abs => format!("{name} takes numbers, not {what}"),
                _ => format!("{name} takes floating-point numbers, not {what}: convert it first (`as f32`)"),
            };
            match self.operand(name, x)? {
                Operand::Literal(literal) => match fold::unary(op, literal) {
                    Some(literal) => Some(self.lift(literal)),
                    None => self.fail(wrong(literal.own_type().map_or("this".to_owned(), |t| t.to_string()))),
                },
                Operand::Value(id, ty) => match (op, ty.dtype()) {
                    (UnaryOp::Abs, Some(t)) if t.is_unsigned() => Some(x),
                    (_, Some(t)) if t.is_float() || (op == UnaryOp::Abs && t.is_int()) => {
                        self.op(OpKind::Unary(op), &[id], ty)
                    }
                    _ => self.fail(wrong(ty.to_string())),
                },
            }
        })();
        self.done(built)
    }

    /// Operands of a builtin in their common type and shape; the flag tells whether all are known now.
    pub(crate) fn common<const N: usize>(
        self,
        name: &str,
        args: [Expr<'k>; N],
    ) -> Built<([Operand; N], ValueType, bool)> {
        let operands = args.map(|a| self.operand(name, a));
        let mut found = [Operand::Literal(Literal::free(Number::Int(0))); N];
        for (slot, operand) in found.iter_mut().zip(operands) {
            *slot = operand?;
        }
        let dtype = self.promote(name, &found)?;
        let shape = self.common_shape(name, found.map(Operand::shape))?;
        let known = found.iter().all(|o| matches!(o, Operand::Literal(_)));
        Some((found, ValueType::scalar(dtype).with_shape(shape), known))
    }

    fn extremum(self, name: &str, max: bool, nan: bool, a: Expr<'k>, b: Expr<'k>) -> Built<Expr<'k>> {
        let ([x, y], ty, known) = self.common(name, [a, b])?;
        if known && let (Some(p), Some(q)) = (a.known(), b.known()) {
            let any_nan = p.to_f64().is_nan() || q.to_f64().is_nan();
            if !any_nan && fold::compare(CmpOp::Ne, p, q) {
                let first = fold::compare(if max { CmpOp::Gt } else { CmpOp::Lt }, p, q);
                return Some(if first { a } else { b });
            }
        }
        let op = match (ty.dtype()?, max) {
            (DType::Bool, _) => return self.fail(format!("{name} takes numbers, not bool")),
            (t, false) if t.is_float() => [BinaryOp::Min, BinaryOp::MinNan][usize::from(nan)],
            (t, true) if t.is_float() => [BinaryOp::Max, BinaryOp::MaxNan][usize::from(nan)],
            (t, false) if t.is_unsigned() => BinaryOp::MinU,
            (t, true) if t.is_unsigned() => BinaryOp::MaxU,
            (_, false) => BinaryOp::MinS,
            (_, true) => BinaryOp::MaxS,
        };
        self.binary_in(op, x, y, ty)
    }

    /// The smaller of two numbers; a NaN counts only against another, and `-0.0` is below `0.0`.
    pub fn minimum(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        self.done(self.extremum("minimum", false, false, self.lift(a), self.lift(b)))
    }

    /// The larger of two numbers; a NaN counts only against another.
    pub fn maximum(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        self.done(self.extremum("maximum", true, false, self.lift(a), self.lift(b)))
    }

    /// The smaller of two numbers, NaN if either is.
    pub fn minimum_nan(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        self.done(self.extremum("minimum_nan", false, true, self.lift(a), self.lift(b)))
    }

    /// The larger of two numbers, NaN if either is.
    pub fn maximum_nan(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        self.done(self.extremum("maximum_nan", true, true, self.lift(a), self.lift(b)))
    }

    /// `minimum(maximum(x, low), high)`.
    pub fn clamp(self, x: impl IntoExpr<'k>, low: impl IntoExpr<'k>, high: impl IntoExpr<'k>) -> Expr<'k> {
        let args = [self.lift(x), self.lift(low), self.lift(high)];
        let built = (|| {
            // All three are promoted together: a bound known now takes the type that the other two make.
            let ([x, low, high], ty, known) = self.common("clamp", args)?;
            if known {
                let raised = self.extremum("clamp", true, false, args[0], args[1])?;
                return self.extremum("clamp", false, false, raised, args[2]);
            }
            let (max, min) = match ty.dtype()? {
                DType::Bool => return self.fail("clamp takes numbers, not bool"),
                t if t.is_float() => (BinaryOp::Max, BinaryOp::Min),
                t if t.is_unsigned() => (BinaryOp::MaxU, BinaryOp::MinU),
                _ => (BinaryOp::MaxS, BinaryOp::MinS),
            };
            let raised = self.binary_in(max, x, low, ty)?;
            let raised = self.operand("clamp", raised)?;
            self.binary_in(min, raised, high, ty)
        })();
        self.done(built)
    }

    /// `a * b + c` rounded once, of floats.
    pub fn fma(self, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>, c: impl IntoExpr<'k>) -> Expr<'k> {
        let args = [self.lift(a), self.lift(b), self.lift(c)];
        let built = (|| {
            let (operands, ty, _) = self.common("fma", args)?;
            let dtype = self.float_of("fma", ty)?;
            let mut ids = Vec::with_capacity(3);
            for operand in operands {
                ids.push(self.convert(operand, dtype, ty.shape)?);
            }
            self.op(OpKind::Fma, &ids, ty)
        })();
        self.done(built)
    }

    fn float_binary(self, name: &str, op: BinaryOp, a: Expr<'k>, b: Expr<'k>) -> Expr<'k> {
        let built = (|| {
            if op.second_operand(Scalar::F32).is_int() {
                return self.float_and_int(name, op, a, b);
            }
            let ([x, y], ty, known) = self.common(name, [a, b])?;
            if known && let (Operand::Literal(x), Operand::Literal(y)) = (x, y) {
                let float = |l: Literal| match l.value {
                    Number::Int(_) => Literal::free(Number::Float(l.value.to_f64())),
                    _ => l,
                };
                if op == BinaryOp::DivRn {
                    return Some(self.binary(BinOp::Div, float(x), float(y)));
                }
                return Some(self.lift(fold::function_of_two(op, x, y)));
            }
            let dtype = self.float_of(name, ty)?;
            if !op.domain().contains(dtype.scalar()) {
                let wanted = op.domain().describe();
                return self.fail(format!("{name} takes {wanted}, not {ty}: convert it first (`as f32`)"));
            }
            self.binary_in(op, x, y, ty)
        })();
        self.done(built)
    }

    /// A function of a float and an `i32`, whose types do not promote to one another.
    fn float_and_int(self, name: &str, op: BinaryOp, a: Expr<'k>, b: Expr<'k>) -> Built<Expr<'k>> {
        let (x, n) = (self.operand(name, a), self.operand(name, b));
        let (x, n) = (x?, n?);
        let exponent = match n {
            Operand::Literal(n) => n.value.kind() == Kind::Int,
            Operand::Value(_, ty) => ty.dtype().is_some_and(fits_i32),
        };
        if !exponent {
            let got = crate::site::describe(b);
            let message = format!("the exponent of {name} is an integer that an i32 holds, not {got}");
            return self.fail(format!("{message}: convert it first (`as i32`), or use pow"));
        }
        let x = match x {
            // An integer known now counts as a float.
            Operand::Literal(l) if l.value.kind() == Kind::Int => {
                Operand::Literal(Literal::free(Number::Float(l.value.to_f64())))
            }
            x => x,
        };
        if let (Operand::Literal(x), Operand::Literal(n)) = (x, n) {
            self.fit(n, DType::I32)?;
            return Some(self.lift(fold::function_of_two(op, x, n)));
        }
        let dtype = match x {
            Operand::Literal(literal) => self.own_type(literal)?,
            Operand::Value(_, ty) => self.float_of(name, ty)?,
        };
        let shape = self.common_shape(name, [x.shape(), n.shape()])?;
        let (x, n) = (self.convert(x, dtype, shape)?, self.convert(n, DType::I32, shape)?);
        self.op(OpKind::Binary(op), &[x, n], ValueType::scalar(dtype).with_shape(shape))
    }

    fn float_of(self, name: &str, ty: ValueType) -> Built<DType> {
        match ty.dtype() {
            Some(dtype) if dtype.is_float() => Some(dtype),
            _ => self.fail(format!("{name} takes floating-point numbers, not {ty}")),
        }
    }

    /// `a` where the condition holds, else `b`; both are evaluated. The condition is `bool`; all three broadcast.
    pub fn select(self, condition: impl IntoExpr<'k>, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        let (condition, a, b) = (self.lift(condition), self.lift(a), self.lift(b));
        let built = (|| {
            let name = "where_";
            let condition = self.operand(name, condition);
            let (a, b) = (self.operand(name, a), self.operand(name, b));
            let (condition, a, b) = (condition?, a?, b?);
            self.require_bool("the condition of where_", condition)?;
            let arms = self.common_shape(name, [a.shape(), b.shape()])?;
            let shape = self.common_shape(name, [arms, condition.shape()])?;
            let (x, y, ty) = match (a, b) {
                (Operand::Value(x, xt), Operand::Value(y, yt)) if xt.pointee().is_some() && xt.elem == yt.elem => {
                    let ty = xt.with_shape(shape);
                    (
                        self.broadcast_value(x, xt, shape)?,
                        self.broadcast_value(y, yt, shape)?,
                        ty,
                    )
                }
                _ => {
                    let dtype = self.promote(name, &[a, b])?;
                    let ty = ValueType::scalar(dtype).with_shape(shape);
                    (self.convert(a, dtype, shape)?, self.convert(b, dtype, shape)?, ty)
                }
            };
            if let Operand::Literal(Literal { value, .. }) = condition {
                return Some(self.value(if value == Number::Bool(true) { x } else { y }, ty));
            }
            // A scalar condition chooses between whole tiles.
            let chooser = if condition.shape().is_scalar() {
                condition.shape()
            } else {
                shape
            };
            let condition = self.convert(condition, DType::Bool, chooser)?;
            self.op(OpKind::Select, &[condition, x, y], ty)
        })();
        self.done(built)
    }

    /// The same as [`Site::select`], under its name in kernels.
    pub fn where_(self, condition: impl IntoExpr<'k>, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        self.select(condition, a, b)
    }

    pub(crate) fn require_bool(self, what: &str, operand: Operand) -> Built<()> {
        let (ok, got) = match operand {
            Operand::Literal(l) => (l.value.kind() == Kind::Bool, l.value.to_string()),
            Operand::Value(_, ty) => (ty.dtype() == Some(DType::Bool), ty.to_string()),
        };
        if ok {
            Some(())
        } else {
            self.fail(format!("{what} is a bool, not {got}: compare with 0"))
        }
    }

    /// 1 / (1 + exp(-x)). `f16` and `bf16` compute in `f32` and round once.
    pub fn sigmoid(self, x: impl IntoExpr<'k>) -> Expr<'k> {
        self.in_f32("sigmoid", self.lift(x), |s, x| {
            let e = s.exp(s.neg(x));
            s.binary(BinOp::Div, 1, s.binary(BinOp::Add, e, 1))
        })
    }

    /// x · sigmoid(x), the sigmoid linear unit.
    pub fn silu(self, x: impl IntoExpr<'k>) -> Expr<'k> {
        self.in_f32("silu", self.lift(x), |s, x| {
            let e = s.exp(s.neg(x));
            s.binary(BinOp::Div, x, s.binary(BinOp::Add, e, 1))
        })
    }

    /// x / 2 · (1 + erf(x / √2)), the exact Gaussian error linear unit.
    pub fn gelu(self, x: impl IntoExpr<'k>) -> Expr<'k> {
        self.in_f32("gelu", self.lift(x), |s, x| {
            let inner = s.erf(s.binary(BinOp::Mul, x, std::f64::consts::FRAC_1_SQRT_2));
            let half = s.binary(BinOp::Mul, x, 0.5);
            s.binary(BinOp::Mul, half, s.binary(BinOp::Add, inner, 1))
        })
    }

    /// exp(x - max(x)) / sum(exp(x - max(x))) along the last dimension. `f16` and `bf16` compute in `f32` and round once. A
    /// line of -infinity alone has no softmax: NaN.
    pub fn softmax(self, x: impl IntoExpr<'k>) -> Expr<'k> {
        self.softmax_along(x, -1)
    }

    /// The same along an axis.
    pub fn softmax_along(self, x: impl IntoExpr<'k>, axis: impl IntoExpr<'k>) -> Expr<'k> {
        let (x, axis) = (self.lift(x), self.lift(axis));
        let built = (|| {
            let (_, ty) = self.tile("softmax", x)?;
            let axis = self.axis_of("softmax", axis, ty)? as i64;
            Some(self.in_f32("softmax", x, |s, x| {
                let largest = s.expand_dims(s.max(x, axis), axis);
                let e = s.exp(s.binary(BinOp::Sub, x, largest));
                let total = s.expand_dims(s.sum(e, axis), axis);
                s.binary(BinOp::Div, e, total)
            }))
        })();
        self.done(built)
    }

    /// max(x, 0); NaN gives 0.
    pub fn relu(self, x: impl IntoExpr<'k>) -> Expr<'k> {
        self.maximum(x, 0)
    }

    /// Computes a float function, of shorter types in `f32` with one rounding at the end.
    fn in_f32(self, name: &str, x: Expr<'k>, f: impl FnOnce(Site<'k>, Expr<'k>) -> Expr<'k>) -> Expr<'k> {
        if x.is_poison() {
            return x;
        }
        let float = match x.known() {
            Some(number) => number.kind() != Kind::Bool,
            None => x.ty().and_then(ValueType::dtype).is_some_and(DType::is_float),
        };
        if !float {
            let got = crate::site::describe(x);
            return self.error(format!(
                "{name} takes floating-point numbers, not {got}: convert it first (`as f32`)"
            ));
        }
        match x.ty().and_then(ValueType::dtype) {
            Some(short @ (DType::F16 | DType::BF16)) => {
                let wide = self.cast(x, DType::F32);
                self.cast(f(self, wide), short)
            }
            Some(_) => f(self, x),
            None => {
                // Known now: an integer literal counts as a float.
                let x = self.binary(BinOp::Mul, x, 1.0);
                f(self, x)
            }
        }
    }
}
