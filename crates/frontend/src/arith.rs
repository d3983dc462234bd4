//! Operators: promotion, broadcasting, and the choice of the operation by the operands' types.

use mytriton_ssa::{BinaryOp, CmpPred, OpKind, Shape, ValueId};

use crate::dtype::{DType, ElemType, Kind, ValueType};
use crate::expr::{Expr, IntoExpr, Repr};
use crate::fold;
use crate::literal::{Literal, Number, Own};
use crate::site::{Built, Operand, Site};

/// Binary operators of the source, named as in [`std::ops`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}

impl BinOp {
    /// The operator's sign.
    pub const fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::BitAnd => "&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
        }
    }

    const fn needs_ints(self) -> bool {
        matches!(
            self,
            BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr
        )
    }
}

/// Comparison operators of the source, named as in [`std::cmp`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CmpOp {
    const fn symbol(self) -> &'static str {
        match self {
            CmpOp::Eq => "==",
            CmpOp::Ne => "!=",
            CmpOp::Lt => "<",
            CmpOp::Le => "<=",
            CmpOp::Gt => ">",
            CmpOp::Ge => ">=",
        }
    }

    const fn predicate(self, unsigned: bool) -> CmpPred {
        match (self, unsigned) {
            (CmpOp::Eq, _) => CmpPred::Eq,
            (CmpOp::Ne, _) => CmpPred::Ne,
            (CmpOp::Lt, false) => CmpPred::Lt,
            (CmpOp::Le, false) => CmpPred::Le,
            (CmpOp::Gt, false) => CmpPred::Gt,
            (CmpOp::Ge, false) => CmpPred::Ge,
            (CmpOp::Lt, true) => CmpPred::LtU,
            (CmpOp::Le, true) => CmpPred::LeU,
            (CmpOp::Gt, true) => CmpPred::GtU,
            (CmpOp::Ge, true) => CmpPred::GeU,
        }
    }
}

impl<'k> Site<'k> {
    /// `a op b`: numbers with promotion and broadcasting; a pointer plus or minus an integer moves by elements.
    pub fn binary(self, op: BinOp, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        let (a, b) = (self.lift(a), self.lift(b));
        let built = (|| {
            let what = format!("'{}'", op.symbol());
            // Both sides are looked at first, so that mistakes on either are found.
            let (a, b) = (self.operand(&what, a), self.operand(&what, b));
            let (a, b) = (a?, b?);
            if let (Operand::Literal(x), Operand::Literal(y)) = (a, b) {
                return match fold::binary(op, x, y) {
                    Ok(literal) => Some(self.lift(literal)),
                    Err(message) => self.fail(message),
                };
            }
            if a.pointee().is_some() || b.pointee().is_some() {
                return self.pointer_binary(op, a, b);
            }
            self.number_binary(op, &what, a, b)
        })();
        self.done(built)
    }

    fn number_binary(self, op: BinOp, what: &str, a: Operand, b: Operand) -> Built<Expr<'k>> {
        let mut dtype = self.promote(what, &[a, b])?;
        if matches!(op, BinOp::Div | BinOp::Rem) {
            if let (Some(x), Some(y)) = (self.int_type(a, b), self.int_type(b, a))
                && x.is_unsigned() != y.is_unsigned()
            {
                return self.fail(format!(
                    "{what} of {x} and {y}: division of integers of different sign is ambiguous; convert one of them"
                ));
            }
            if matches!(dtype, DType::F16 | DType::BF16) {
                dtype = DType::F32;
            }
            if dtype == DType::Bool {
                return self.fail(format!("{what} takes numbers, not bool"));
            }
        }
        if op.needs_ints() && dtype.is_float() {
            return self.fail(format!("{what} takes integers or bool, not {dtype}"));
        }
        if let (BinOp::Shl | BinOp::Shr, Operand::Literal(amount)) = (op, b)
            && amount.value.as_int().is_some_and(|v| v < 0)
        {
            return self.fail(format!("a shift by {}: the amount is 0 or more", amount.value));
        }
        // A right shift copies the sign of its left operand, whatever the promoted type is.
        let left_unsigned = match a {
            Operand::Value(_, ty) => ty.dtype().is_some_and(|t| t.is_unsigned() || t == DType::Bool),
            Operand::Literal(_) => dtype.is_unsigned() || dtype == DType::Bool,
        };
        let shape = self.common_shape(what, [a.shape(), b.shape()])?;
        let (x, y) = (self.convert(a, dtype, shape)?, self.convert(b, dtype, shape)?);
        let float = dtype.is_float();
        let unsigned = dtype.is_unsigned();
        let ssa = match op {
            BinOp::Add => BinaryOp::Add,
            BinOp::Sub => BinaryOp::Sub,
            BinOp::Mul => BinaryOp::Mul,
            BinOp::Div if float => BinaryOp::Div,
            BinOp::Div if unsigned => BinaryOp::DivU,
            BinOp::Div => BinaryOp::DivS,
            BinOp::Rem if float => BinaryOp::Rem,
            BinOp::Rem if unsigned => BinaryOp::RemU,
            BinOp::Rem => BinaryOp::RemS,
            BinOp::BitAnd => BinaryOp::And,
            BinOp::BitOr => BinaryOp::Or,
            BinOp::BitXor => BinaryOp::Xor,
            BinOp::Shl => BinaryOp::Shl,
            BinOp::Shr if left_unsigned => BinaryOp::ShrU,
            BinOp::Shr => BinaryOp::ShrS,
        };
        let ty = ValueType::scalar(dtype).with_shape(shape);
        self.op(OpKind::Binary(ssa), &[x, y], ty)
    }

    /// The integer type that an operand has in an operation with another; none if it is no integer there.
    fn int_type(self, operand: Operand, other: Operand) -> Option<DType> {
        let dtype = match (operand, other) {
            (Operand::Value(_, ty), _) => ty.dtype()?,
            (Operand::Literal(literal), Operand::Value(_, ty)) => literal.type_with(ty.dtype()?).ok()?,
            (Operand::Literal(literal), _) => literal.own_type().ok()?,
        };
        dtype.is_int().then_some(dtype)
    }

    /// The type that an operation among numbers takes place in.
    pub(crate) fn promote(self, what: &str, operands: &[Operand]) -> Built<DType> {
        let mut common: Option<DType> = None;
        let mut free = Vec::new();
        for &operand in operands {
            let dtype = match operand {
                Operand::Value(_, ty) => match ty.dtype() {
                    Some(dtype) => dtype,
                    None => return self.fail(format!("{what} takes numbers, not {ty}")),
                },
                Operand::Literal(Literal { own: Own::Fixed(t), .. }) => t,
                Operand::Literal(literal) => {
                    free.push(literal);
                    continue;
                }
            };
            common = Some(common.map_or(dtype, |c| c.promote(dtype)));
        }
        for literal in free {
            let dtype = match common {
                Some(met) => match literal.type_with(met) {
                    Ok(dtype) => dtype.promote(met),
                    Err(e) => return self.fail(e.to_string()),
                },
                None => self.own_type(literal)?,
            };
            common = Some(dtype);
        }
        common
    }

    fn pointer_binary(self, op: BinOp, a: Operand, b: Operand) -> Built<Expr<'k>> {
        let symbol = op.symbol();
        let (pointer, offset) = match (op, a, b) {
            (BinOp::Add, p, o) | (BinOp::Sub, p, o) if p.pointee().is_some() && o.pointee().is_none() => (p, o),
            (BinOp::Add, o, p) if o.pointee().is_none() => (p, o),
            _ => {
                let show = |x: Operand| match x {
                    Operand::Value(_, ty) => ty.to_string(),
                    Operand::Literal(l) => l.value.to_string(),
                };
                return self.fail(format!(
                    "'{symbol}' of {} and {}: only an integer can be added to or taken from a pointer",
                    show(a),
                    show(b)
                ));
            }
        };
        let Operand::Value(pointer, pointer_type) = pointer else {
            return None;
        };
        let shape = self.common_shape(&format!("'{symbol}'"), [pointer_type.shape, offset.shape()])?;
        let offset = self.offset(offset, op == BinOp::Sub, shape)?;
        let pointer = self.broadcast_value(pointer, pointer_type, shape)?;
        self.op(OpKind::AddPtr, &[pointer, offset], pointer_type.with_shape(shape))
    }

    /// An offset from a pointer: unsigned integers are widened with zeros, as the operation extends the sign.
    fn offset(self, offset: Operand, negate: bool, shape: Shape) -> Built<ValueId> {
        let dtype = match offset {
            Operand::Value(_, ty) => ty.dtype()?,
            Operand::Literal(literal) => self.own_type(literal)?,
        };
        if !dtype.is_int() {
            return self.fail(format!("the offset from a pointer is an integer, not {dtype}"));
        }
        let offset = match offset {
            Operand::Literal(literal) if negate => Operand::Literal(fold::neg(literal)),
            offset => offset,
        };
        if let Operand::Literal(literal) = offset {
            let small = literal.value.fit(DType::I32).is_ok();
            return self.convert(offset, if small { DType::I32 } else { DType::I64 }, shape);
        }
        let dtype = match dtype {
            DType::U8 | DType::U16 => DType::I32,
            DType::U32 | DType::U64 => DType::I64,
            signed => signed,
        };
        let value = self.convert(offset, dtype, shape)?;
        if !negate {
            return Some(value);
        }
        let ty = ValueType::scalar(dtype).with_shape(shape);
        self.negate_int(value, ty)
    }

    fn negate_int(self, value: ValueId, ty: ValueType) -> Built<ValueId> {
        let dtype = ty.dtype()?;
        let zero = self.convert(Operand::Literal(Literal::free(Number::Int(0))), dtype, ty.shape)?;
        self.emit(OpKind::Binary(BinaryOp::Sub), &[zero, value], ty)
    }

    /// `-a`; of integers `0 - a`, wrapping.
    pub fn neg(self, a: impl IntoExpr<'k>) -> Expr<'k> {
        let a = self.lift(a);
        let built = (|| match self.operand("'-'", a)? {
            Operand::Literal(literal) => Some(self.lift(fold::neg(literal))),
            Operand::Value(id, ty) => match ty.dtype() {
                Some(t) if t.is_float() => self.op(OpKind::Unary(mytriton_ssa::UnaryOp::Neg), &[id], ty),
                Some(t) if t.is_int() => {
                    let id = self.negate_int(id, ty)?;
                    Some(self.value(id, ty))
                }
                _ => self.fail(format!("'-' takes numbers, not {ty}")),
            },
        })();
        self.done(built)
    }

    /// `!a`: all bits flipped; of `bool`, logical not.
    pub fn not(self, a: impl IntoExpr<'k>) -> Expr<'k> {
        let a = self.lift(a);
        let built = (|| match self.operand("'!'", a)? {
            Operand::Literal(literal) => match fold::not(literal) {
                Ok(literal) => Some(self.lift(literal)),
                Err(message) => self.fail(message),
            },
            Operand::Value(id, ty) => match ty.dtype() {
                Some(t) if !t.is_float() => {
                    let ones = mytriton_ssa::Const::from_int(t.scalar(), -1);
                    let ones = self.emit(OpKind::Const(ones), &[], ty)?;
                    self.op(OpKind::Binary(BinaryOp::Xor), &[id, ones], ty)
                }
                _ => self.fail(format!("'!' takes integers and bool, not {ty}")),
            },
        })();
        self.done(built)
    }

    /// The value of `a && b` (`and`) or `a || b`, if `a` decides it at compile time: then `b` need not be built.
    pub fn decided(self, and: bool, a: Expr<'k>) -> Option<Expr<'k>> {
        match a.known() {
            Some(Number::Bool(v)) if v != and => Some(a),
            _ => None,
        }
    }

    /// `a && b` (`and`) or `a || b` of `bool` values, both evaluated.
    pub fn logical(self, and: bool, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        let (a, b) = (self.lift(a), self.lift(b));
        let what = if and { "'&&'" } else { "'||'" };
        for side in [a, b] {
            let dtype = match side.repr {
                Repr::Value { ty, .. } => ty.dtype(),
                Repr::Literal(literal) if literal.value.kind() == Kind::Bool => Some(DType::Bool),
                Repr::Literal(_) | Repr::DType(_) => None,
                Repr::Poison => continue,
            };
            if dtype != Some(DType::Bool) {
                let got = crate::site::describe(side);
                return self.error(format!("{what} takes bool, not {got}: compare with 0"));
            }
        }
        self.binary(if and { BinOp::BitAnd } else { BinOp::BitOr }, a, b)
    }

    /// `a op b`, a `bool` in the common shape. Ordered, except `!=`, which is true with NaN. Pointers compare by `==` and
    /// `!=`, element types too.
    pub fn compare(self, op: CmpOp, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        let (a, b) = (self.lift(a), self.lift(b));
        if let (Repr::DType(x), Repr::DType(y), CmpOp::Eq | CmpOp::Ne) = (a.repr, b.repr, op) {
            return self.lift((x == y) == (op == CmpOp::Eq));
        }
        let built = (|| {
            let what = format!("'{}'", op.symbol());
            let (a, b) = (self.operand(&what, a), self.operand(&what, b));
            let (a, b) = (a?, b?);
            if let (Operand::Literal(x), Operand::Literal(y)) = (a, b) {
                return Some(self.lift(fold::compare(op, x.value, y.value)));
            }
            let shape = self.common_shape(&what, [a.shape(), b.shape()])?;
            let ty = ValueType::scalar(DType::Bool).with_shape(shape);
            if let (Operand::Value(x, xt), Operand::Value(y, yt)) = (a, b)
                && let (ElemType::Ptr(_), ElemType::Ptr(_)) = (xt.elem, yt.elem)
            {
                if xt.elem != yt.elem || !matches!(op, CmpOp::Eq | CmpOp::Ne) {
                    return self.fail(format!(
                        "{what} of {xt} and {yt}: pointers to one type compare, by '==' and '!='"
                    ));
                }
                let (x, y) = (self.broadcast_value(x, xt, shape)?, self.broadcast_value(y, yt, shape)?);
                return self.op(OpKind::Cmp(op.predicate(true)), &[x, y], ty);
            }
            let dtype = self.promote(&what, &[a, b])?;
            let (x, y) = (self.convert(a, dtype, shape)?, self.convert(b, dtype, shape)?);
            let unsigned = dtype.is_unsigned() || dtype == DType::Bool;
            self.op(OpKind::Cmp(op.predicate(unsigned)), &[x, y], ty)
        })();
        self.done(built)
    }
}
