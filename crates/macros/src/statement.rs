//! Statements and blocks.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Error, Expr, Item, Local, Pat, Result, Stmt, Type};

use crate::carried::pattern_names;
use crate::context::{Binding, Context, error, frame_ident, span_of};
use crate::expression::{strip_parens, unsupported};
use crate::signature::pointee;

impl Context {
    /// A block in its own scope of variables; its tail is its value.
    pub(crate) fn block(&self, block: &Block) -> TokenStream {
        let statements = self.scoped(|| self.statements(&block.stmts, true));
        quote!({ #statements })
    }

    /// A block whose value is dropped: the body of a loop.
    pub(crate) fn body(&self, block: &Block) -> TokenStream {
        self.scoped(|| self.statements(&block.stmts, false))
    }

    /// Statements; the last one, if it ends without a semicolon, gives the value where one is wanted.
    pub(crate) fn statements(&self, statements: &[Stmt], value: bool) -> TokenStream {
        let mut out = TokenStream::new();
        for (i, statement) in statements.iter().enumerate() {
            let last = i + 1 == statements.len();
            match self.statement(statement, value && last) {
                Ok(tokens) => out.extend(tokens),
                Err(error) => {
                    self.note(error);
                    // Names that a bad statement was to declare are known from here on all the same.
                    if let Stmt::Local(local) = statement {
                        self.declare_pattern(&local.pat);
                    }
                }
            }
        }
        out
    }

    fn statement(&self, statement: &Stmt, value: bool) -> Result<TokenStream> {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Item(Item::Const(_) | Item::Use(_)) => Ok(quote!(#statement)),
            Stmt::Item(item) => error(item, "only `const` and `use` items stand in kernels"),
            Stmt::Macro(call) => {
                let advice = match call.mac.path.get_ident().map(Ident::to_string).as_deref() {
                    Some("assert" | "assert_eq" | "assert_ne") => {
                        ": what is known at compile time is checked by `static_assert(..)`"
                    }
                    _ => "",
                };
                error(call, format!("macros are not supported in kernels{advice}"))
            }
            Stmt::Expr(expr, None) if value => Ok(self.expr(expr)),
            Stmt::Expr(expr, _) => {
                let tokens = self.statement_expr(expr)?;
                Ok(quote!(#tokens;))
            }
        }
    }

    fn local(&self, local: &Local) -> Result<TokenStream> {
        let Some(init) = &local.init else {
            return error(
                local,
                "a variable of a kernel starts with a value: `let x = ..;`, also `let x = if .. { .. } else { .. };`",
            );
        };
        if let Some((_, diverge)) = &init.diverge {
            return error(diverge, "`let .. else` is not supported in kernels");
        }
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        check_pattern(pattern)?;
        let mut value = self.expr(&init.expr);
        if let Some(ty) = ty {
            value = self.annotated(pattern, ty, value)?;
        }
        self.declare_pattern(pattern);
        let mut names = Vec::new();
        slots(pattern, &mut names);
        let frame = frame_ident();
        Ok(quote!(let #pattern = #frame.named(&[#(#names),*], #value);))
    }

    fn annotated(&self, pattern: &Pat, ty: &Type, value: TokenStream) -> Result<TokenStream> {
        let is_tile = matches!(ty, Type::Path(path) if path.path.is_ident("Tile"));
        if is_tile || matches!(ty, Type::Infer(_)) {
            return Ok(value);
        }
        if !matches!(pattern, Pat::Ident(_)) {
            return error(ty, "only single variables have a type annotation");
        }
        let span = span_of(ty);
        if let Some(pointee) = pointee(ty) {
            let dtype = self.dtype_of_type(pointee)?;
            return Ok(self.call(span, "annotated_ptr", &[value, dtype]));
        }
        let dtype = self.dtype_of_type(ty).map_err(|e| {
            let text = "the annotation of a variable is a scalar type (i32, f32 ...), Ptr<T> or Tile";
            Error::new(e.span(), text)
        })?;
        Ok(self.call(span, "annotated", &[value, dtype]))
    }

    pub(crate) fn declare_pattern(&self, pattern: &Pat) {
        let mut names = Vec::new();
        pattern_names(pattern, &mut names);
        for (name, mutable) in names {
            let binding = if mutable { Binding::Mutable } else { Binding::Fixed };
            self.declare(name, binding);
        }
    }

    /// An expression as a statement: its value, if it has one, must not matter.
    pub(crate) fn statement_expr(&self, expr: &Expr) -> Result<TokenStream> {
        match expr {
            Expr::Assign(assign) => {
                let value = self.expr(&assign.right);
                self.assign(&assign.left, value, span_of(&assign.left))
            }
            Expr::Binary(binary) if compound(&binary.op).is_some() => {
                let front = &self.front;
                let op = Ident::new(compound(&binary.op).unwrap_or("Add"), span_of(&binary.op));
                let left = strip_parens(&binary.left);
                if !matches!(left, Expr::Path(_)) {
                    return error(left, NOT_A_VARIABLE);
                }
                let args = [quote!(#front::BinOp::#op), quote!(#left), self.expr(&binary.right)];
                let value = self.call(span_of(&binary.op), "binary", &args);
                self.assign(left, value, span_of(left))
            }
            Expr::ForLoop(looping) => self.for_loop(looping),
            Expr::While(looping) => self.while_loop(looping),
            Expr::If(_) | Expr::Block(_) => Ok(self.expr(expr)),
            Expr::Call(call) => {
                self.check_used(expr, &call.func)?;
                Ok(self.expr(expr))
            }
            Expr::MethodCall(call) => {
                let mut base = &*call.receiver;
                while let Expr::MethodCall(inner) = base {
                    base = &inner.receiver;
                }
                let accesses = call.method == "mask" || call.method == "other";
                match base {
                    Expr::Call(base) if accesses => self.check_used(expr, &base.func)?,
                    _ => {
                        let tokens = self.expr(expr);
                        self.note(Error::new(call.method.span(), unused(&format!(".{}(..)", call.method))));
                        return Ok(tokens);
                    }
                }
                Ok(self.expr(expr))
            }
            Expr::Paren(paren) => self.statement_expr(&paren.expr),
            Expr::Lit(_) | Expr::Path(_) | Expr::Unary(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Tuple(_) => {
                let _ = self.expr(expr);
                error(expr, "the result of this expression is not used")
            }
            other => Err(unsupported(other)),
        }
    }

    /// A builtin as a statement is a `store`; a device function may be anything.
    fn check_used(&self, whole: &Expr, function: &Expr) -> Result<()> {
        let Expr::Path(path) = function else { return Ok(()) };
        let Some(name) = path.path.get_ident().map(Ident::to_string) else {
            return Ok(());
        };
        if name != "store" && crate::builtins::find(&name).is_some() {
            // What is wrong within it matters as well.
            let _ = self.expr(whole);
            return Err(Error::new(path.span(), unused(&format!("{name}(..)"))));
        }
        Ok(())
    }

    fn assign(&self, target: &Expr, value: TokenStream, span: proc_macro2::Span) -> Result<TokenStream> {
        let mut names = Vec::new();
        let target = self.target(target, &mut names)?;
        let value = self.call(span, "assigned", &[value]);
        let frame = frame_ident();
        Ok(quote!(#target = #frame.named(&[#(#names),*], #value)))
    }

    /// The left side of an assignment: variables that may change.
    fn target(&self, target: &Expr, names: &mut Vec<String>) -> Result<TokenStream> {
        match target {
            Expr::Path(path) => {
                let Some(name) = path.path.get_ident() else {
                    return error(target, NOT_A_VARIABLE);
                };
                names.push(name.to_string());
                match self.lookup(name) {
                    Some(Binding::Mutable) => Ok(quote!(#name)),
                    Some(Binding::Captured) => error(
                        name,
                        format!(
                            "`{name}` is a variable around this closure, which has variables and a value of its own"
                        ),
                    ),
                    Some(Binding::Fixed) => error(name, format!("`{name}` cannot be assigned: declare it with `mut`")),
                    Some(Binding::Constexpr) => error(
                        name,
                        format!(
                            "`{name}` is known while the kernel is built and cannot be assigned: start with `let mut x = {name};`"
                        ),
                    ),
                    None => error(name, format!("there is no variable `{name}` here")),
                }
            }
            Expr::Infer(_) => {
                names.push("_".to_owned());
                Ok(quote!(_))
            }
            Expr::Paren(paren) => self.target(&paren.expr, names),
            Expr::Tuple(tuple) => {
                let parts = tuple
                    .elems
                    .iter()
                    .map(|e| self.target(e, names))
                    .collect::<Result<Vec<_>>>()?;
                Ok(quote!((#(#parts,)*)))
            }
            other => error(other, NOT_A_VARIABLE),
        }
    }
}

const NOT_A_VARIABLE: &str = "only variables are assigned; memory is written with `store(pointer, value)`";

fn unused(what: &str) -> String {
    format!("the result of `{what}` is not used")
}

pub(crate) fn check_pattern(pattern: &Pat) -> Result<()> {
    match pattern {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => Ok(()),
        Pat::Wild(_) => Ok(()),
        Pat::Paren(paren) => check_pattern(&paren.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().try_for_each(check_pattern),
        other => error(other, "a variable of a kernel is a name or a tuple of names"),
    }
}

/// The names in a pattern, in order, with `_` where a value is dropped.
pub(crate) fn slots(pattern: &Pat, out: &mut Vec<String>) {
    match pattern {
        Pat::Ident(ident) => out.push(ident.ident.to_string()),
        Pat::Tuple(tuple) => tuple.elems.iter().for_each(|p| slots(p, out)),
        Pat::Paren(paren) => slots(&paren.pat, out),
        _ => out.push("_".to_owned()),
    }
}

/// The operator of a compound assignment, named as in `std::ops`.
pub(crate) fn compound(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::AddAssign(_) => "Add",
        BinOp::SubAssign(_) => "Sub",
        BinOp::MulAssign(_) => "Mul",
        BinOp::DivAssign(_) => "Div",
        BinOp::RemAssign(_) => "Rem",
        BinOp::BitAndAssign(_) => "BitAnd",
        BinOp::BitOrAssign(_) => "BitOr",
        BinOp::BitXorAssign(_) => "BitXor",
        BinOp::ShlAssign(_) => "Shl",
        BinOp::ShrAssign(_) => "Shr",
        _ => return None,
    })
}
