//! Expressions: each becomes a call that builds operations and gives a front-end value.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Error, Expr, ExprCall, ExprLit, ExprMethodCall, ExprPath, Lit, Member, Result, Type, UnOp};

use crate::advice;
use crate::builtins::{self, SPECIAL};
use crate::context::{Binding, Context, dtype_variant, error, span_of};

impl Context {
    /// Rewrites an expression. A mistake is noted, and rewriting goes on.
    pub(crate) fn expr(&self, expr: &Expr) -> TokenStream {
        self.try_expr(expr).unwrap_or_else(|e| {
            self.note(e);
            quote!(())
        })
    }

    fn exprs<'a>(&self, exprs: impl IntoIterator<Item = &'a Expr>) -> Vec<TokenStream> {
        exprs.into_iter().map(|e| self.expr(e)).collect()
    }

    fn try_expr(&self, expr: &Expr) -> Result<TokenStream> {
        Ok(match expr {
            Expr::Lit(lit) => self.literal(lit, false)?,
            Expr::Path(path) => self.path(path)?,
            Expr::Paren(paren) => self.try_expr(&paren.expr)?,
            Expr::Group(group) => self.try_expr(&group.expr)?,
            Expr::Unary(unary) => {
                let span = span_of(&unary.op);
                match (&unary.op, strip(&unary.expr)) {
                    // With its sign a literal can be the least of its type.
                    (UnOp::Neg(_), Expr::Lit(lit)) => self.literal(lit, true)?,
                    (UnOp::Neg(_), inner) => self.call(span, "neg", &[self.try_expr(inner)?]),
                    (UnOp::Not(_), inner) => self.call(span, "not", &[self.try_expr(inner)?]),
                    _ => {
                        return error(
                            expr,
                            "kernels have no references: load through a pointer with `load(p)`",
                        );
                    }
                }
            }
            Expr::Binary(binary) => self.binary(&binary.op, &binary.left, &binary.right)?,
            Expr::Cast(cast) => {
                let dtype = self.dtype_of_type(&cast.ty)?;
                let value = self.try_expr(&cast.expr)?;
                self.call(cast.as_token.span, "cast", &[value, dtype])
            }
            Expr::Call(call) => self.function(call)?,
            Expr::MethodCall(call) => self.method(call)?,
            Expr::Field(field) => match &field.member {
                Member::Named(name) if name == "dtype" => {
                    let value = self.try_expr(&field.base)?;
                    self.call(name.span(), "dtype_of", &[value])
                }
                Member::Named(name) => {
                    self.refuse_prefix(&field.base, name)?;
                    return error(name, format!("no field `{name}` in kernels: values have `.dtype`"));
                }
                Member::Unnamed(index) => {
                    let value = self.try_expr(&field.base)?;
                    quote!(#value.#index)
                }
            },
            Expr::Index(index) => {
                let dims = match strip_parens(&index.index) {
                    Expr::Tuple(tuple) => self.new_dims(tuple.elems.iter()),
                    single => self.new_dims([single]),
                };
                let dims = dims.map_err(|e| {
                    let advice = "an index adds dimensions, as in `x[(.., None)]`; single elements are not read: load from `p + i`";
                    Error::new(e.span(), advice)
                })?;
                let value = self.try_expr(&index.expr)?;
                self.call(span_of(&index.index), "at_dims", &[value, dims])
            }
            Expr::Tuple(tuple) => {
                let parts = self.exprs(&tuple.elems);
                quote!((#(#parts,)*))
            }
            // Without elements nothing says of what type they are.
            Expr::Array(array) if array.elems.is_empty() => quote!(([] as [i32; 0])),
            Expr::Array(array) => {
                let parts = self.exprs(&array.elems);
                quote_spanned!(array.bracket_token.span.join()=> [#(#parts),*])
            }
            Expr::If(branch) => self.branch(branch)?,
            Expr::Block(block) if block.label.is_none() => self.block(&block.block),
            Expr::ForLoop(_) | Expr::While(_) | Expr::Assign(_) => self.statement_expr(expr)?,
            other => return Err(unsupported(other)),
        })
    }

    /// A literal with the sign before it.
    fn literal(&self, lit: &ExprLit, negative: bool) -> Result<TokenStream> {
        let front = &self.front;
        let span = lit.span();
        let sign = if negative { quote!(-) } else { quote!() };
        let float_suffix = |suffix: &str| matches!(suffix, "f16" | "bf16" | "f32" | "f64");
        let (digits, suffix, is_float) = match &lit.lit {
            Lit::Bool(b) if !negative => return Ok(self.call(span, "lift", &[quote!(#b)])),
            Lit::Int(int) => (int.base10_digits(), int.suffix(), float_suffix(int.suffix())),
            Lit::Float(float) => (float.base10_digits(), float.suffix(), true),
            _ => return error(lit, "kernels know integers, floating-point numbers and bool"),
        };
        let (method, variant, value) = if is_float {
            let value: f64 = digits.parse().or_else(|_| error(lit, "not a number"))?;
            if value.is_infinite() {
                return error(lit, "a number beyond f64: write `f64::INFINITY`");
            }
            let value = Literal::f64_suffixed(value);
            ("float", quote!(Float), quote!(#sign #value))
        } else {
            let value: i128 = digits.parse().or_else(|_| error(lit, "an integer beyond 128 bits"))?;
            check_range(lit, if negative { -value } else { value }, suffix)?;
            let value = Literal::i128_suffixed(value);
            ("int", quote!(Int), quote!(#sign #value))
        };
        if suffix.is_empty() {
            return Ok(self.call(span, method, &[value]));
        }
        let Some(dtype) = dtype_variant(&Ident::new(suffix, span)) else {
            let types = "i8 to i64, u8 to u64, f16, bf16, f32 or f64";
            return error(lit, format!("no type `{suffix}` in kernels: use {types}"));
        };
        let number = quote!(#front::Number::#variant(#value));
        let fixed = quote!(#front::Literal::fixed(#number, #front::DType::#dtype));
        Ok(self.call(span, "lift", &[fixed]))
    }

    fn path(&self, path: &ExprPath) -> Result<TokenStream> {
        if path.qself.is_some() {
            return error(path, "qualified paths are not supported in kernels");
        }
        let front = &self.front;
        if let Some(name) = path.path.get_ident() {
            if self.lookup(name).is_some() {
                return Ok(quote!(#name));
            }
            if let Some(variant) = dtype_variant(name) {
                return Ok(self.call(name.span(), "lift", &[quote!(#front::DType::#variant)]));
            }
            if name == "None" {
                return error(name, "`None` stands for a new dimension in `x.at(.., None)` only");
            }
            if builtins::find(&name.to_string()).is_some() {
                return error(name, format!("`{name}` is a builtin function: call it"));
            }
        }
        let first = path.path.segments.first().map(|s| &s.ident);
        let value = match first {
            // Half-precision types have constants, but need not be imported.
            Some(name) if (name == "f16" || name == "bf16") && path.path.segments.len() == 2 => {
                let path = &path.path;
                quote!(#front::#path)
            }
            Some(name) if path.path.segments.len() > 1 && self.lookup(name) == Some(Binding::Constexpr) => {
                return error(
                    path,
                    format!("`{name}` is known only when the kernel is built: it has no constants here"),
                );
            }
            _ => quote!(#path),
        };
        Ok(self.call(span_of(path), "lift", &[value]))
    }

    fn binary(&self, op: &BinOp, left: &Expr, right: &Expr) -> Result<TokenStream> {
        let front = &self.front;
        let span = span_of(op);
        let arithmetic = |name: &str| {
            let op = Ident::new(name, Span::mixed_site());
            let args = [quote!(#front::BinOp::#op), self.expr(left), self.expr(right)];
            self.call(span, "binary", &args)
        };
        let comparison = |name: &str| {
            let op = Ident::new(name, Span::mixed_site());
            let args = [quote!(#front::CmpOp::#op), self.expr(left), self.expr(right)];
            self.call(span, "compare", &args)
        };
        let logical = |and: bool| {
            let (left, right) = (self.expr(left), self.expr(right));
            let (site, left_name) = (self.site(span), Ident::new("__left", Span::mixed_site()));
            // A left side that decides at compile time spares the right one.
            quote!({
                let #left_name = #left;
                match #site.decided(#and, #left_name) {
                    ::core::option::Option::Some(decided) => decided,
                    ::core::option::Option::None => #site.logical(#and, #left_name, #right),
                }
            })
        };
        Ok(match op {
            BinOp::Add(_) => arithmetic("Add"),
            BinOp::Sub(_) => arithmetic("Sub"),
            BinOp::Mul(_) => arithmetic("Mul"),
            BinOp::Div(_) => arithmetic("Div"),
            BinOp::Rem(_) => arithmetic("Rem"),
            BinOp::BitAnd(_) => arithmetic("BitAnd"),
            BinOp::BitOr(_) => arithmetic("BitOr"),
            BinOp::BitXor(_) => arithmetic("BitXor"),
            BinOp::Shl(_) => arithmetic("Shl"),
            BinOp::Shr(_) => arithmetic("Shr"),
            BinOp::Eq(_) => comparison("Eq"),
            BinOp::Ne(_) => comparison("Ne"),
            BinOp::Lt(_) => comparison("Lt"),
            BinOp::Le(_) => comparison("Le"),
            BinOp::Gt(_) => comparison("Gt"),
            BinOp::Ge(_) => comparison("Ge"),
            BinOp::And(_) => logical(true),
            BinOp::Or(_) => logical(false),
            _ => return error(op, "an assignment is a statement of its own"),
        })
    }

    /// The element type that a Rust type in a cast or annotation stands for.
    pub(crate) fn dtype_of_type(&self, ty: &Type) -> Result<TokenStream> {
        let front = &self.front;
        if let Type::Path(path) = ty
            && path.qself.is_none()
            && let Some(segment) = path.path.segments.last()
            && segment.arguments.is_none()
        {
            let name = &segment.ident;
            if self.lookup(name).is_some() {
                return Ok(quote!(#name));
            }
            if let Some(variant) = dtype_variant(name) {
                return Ok(quote!(#front::DType::#variant));
            }
        }
        error(
            ty,
            "an element type is bool, i8 to i64, u8 to u64, f16, bf16, f32 or f64",
        )
    }

    fn function(&self, call: &ExprCall) -> Result<TokenStream> {
        let Expr::Path(path) = strip_parens(&call.func) else {
            return error(&call.func, "kernels call builtins and device functions by name");
        };
        let span = span_of(path);
        advice::refuse_named(&call.args)?;
        if let Some(name) = path.path.get_ident() {
            let text = name.to_string();
            if let Some(builtin) = builtins::find(&text) {
                builtin.check(span, call.args.len(), false)?;
                let target = builtin.target(call.args.len());
                if builtin.combines {
                    return self.combining(call, target);
                }
                let built = self.call(span, target, &self.exprs(&call.args));
                return Ok(match text.as_str() {
                    "load" => quote!(#built.get()),
                    "store" => quote!(#built.done()),
                    _ => built,
                });
            }
            match text.as_str() {
                "static_assert" => return self.static_assert(call),
                "static_range" => {
                    return error(
                        name,
                        "`static_range` makes an unrolled loop: `for i in static_range(a, b, s)`",
                    );
                }
                "cast" | "to" => return error(name, "write `x as f32`, or `cast(x, f32)`"),
                _ if SPECIAL.contains(&text.as_str()) => {
                    return error(name, format!("`{name}` is a method: `.{name}(..)`"));
                }
                _ => {}
            }
            if self.lookup(name).is_some() {
                return error(name, format!("`{name}` is a variable, not a function"));
            }
            if let Some(advice) = advice::of_name(&text) {
                return error(name, format!("no `{name}` in kernels: {advice}"));
            }
        }
        advice::refuse_host(path)?;
        // A device function: the Rust compiler finds it, or says that there is none of that name.
        let site = self.device_site(span);
        let args = self.exprs(&call.args);
        Ok(quote!(#path(#site, #(#args),*)))
    }

    /// Refuses `tl.name`: the prefix is Triton's.
    fn refuse_prefix(&self, base: &Expr, name: &Ident) -> Result<()> {
        match base {
            Expr::Path(path)
                if path
                    .path
                    .get_ident()
                    .is_some_and(|n| n == "tl" && self.lookup(n).is_none()) =>
            {
                let advice = advice::of_prefixed(&name.to_string());
                error(path, format!("no `tl` in kernels: {advice}"))
            }
            _ => Ok(()),
        }
    }

    fn static_assert(&self, call: &ExprCall) -> Result<TokenStream> {
        let mut args = call.args.iter();
        let (Some(condition), message, None) = (args.next(), args.next(), args.next()) else {
            return error(call, "`static_assert` takes a condition and a message");
        };
        let message = match message {
            Some(Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            })) => quote!(#text),
            Some(other) => return error(other, "the message of `static_assert` is a string literal"),
            None => {
                let text = quote!(#condition).to_string();
                quote!(#text)
            }
        };
        let condition = self.try_expr(condition)?;
        Ok(self.call(span_of(&call.func), "static_assert", &[condition, message]))
    }

    fn method(&self, call: &ExprMethodCall) -> Result<TokenStream> {
        let name = &call.method;
        self.refuse_prefix(&call.receiver, name)?;
        advice::refuse_named(&call.args)?;
        if let Some(turbofish) = &call.turbofish {
            return error(turbofish, "builtins have no type parameters: write `x as f32`");
        }
        if name == "mask" || name == "other" {
            return self.access(call);
        }
        if name == "at" {
            let dims = self.new_dims(&call.args)?;
            let value = self.try_expr(&call.receiver)?;
            return Ok(self.call(name.span(), "at_dims", &[value, dims]));
        }
        let builtin = builtins::find_method(name)?;
        builtin.check(name.span(), call.args.len() + 1, true)?;
        let mut args = vec![self.try_expr(&call.receiver)?];
        args.extend(self.exprs(&call.args));
        Ok(self.call(name.span(), builtin.target(args.len()), &args))
    }

    /// `load(p).mask(m).other(o)` and `store(p, v).mask(m)`.
    fn access(&self, call: &ExprMethodCall) -> Result<TokenStream> {
        let mut options: Vec<(&Ident, TokenStream)> = Vec::new();
        let mut receiver = call;
        let base = loop {
            let name = &receiver.method;
            if receiver.args.len() != 1 {
                return error(name, format!("`.{name}` takes 1 argument, not {}", receiver.args.len()));
            }
            if options.iter().any(|(n, _)| *n == name) {
                return error(name, format!("`.{name}(..)` is given twice"));
            }
            options.push((name, self.expr(&receiver.args[0])));
            match &*receiver.receiver {
                Expr::MethodCall(inner) if inner.method == "mask" || inner.method == "other" => receiver = inner,
                base => break base,
            }
        };
        let wrong = |name: &Ident| {
            error(
                name,
                format!(
                    "`.{name}(..)` directly follows `load(..)`{}",
                    match name == "mask" {
                        true => " or `store(..)`",
                        false => "",
                    }
                ),
            )
        };
        let Expr::Call(base) = base else {
            return wrong(options[0].0);
        };
        let function = match &*base.func {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        let (function, finish) = match function {
            Some(f) if f == "load" => (f, quote!(get())),
            Some(f) if f == "store" => (f, quote!(done())),
            _ => return wrong(options[0].0),
        };
        if function == "store"
            && let Some((other, _)) = options.iter().find(|(n, _)| *n == "other")
        {
            return wrong(other);
        }
        if let Some(builtin) = builtins::find(&function.to_string()) {
            builtin.check(function.span(), base.args.len(), false)?;
        }
        let built = self.call(function.span(), &function.to_string(), &self.exprs(&base.args));
        let options = options.iter().rev().map(|(name, value)| quote!(.#name(#value)));
        Ok(quote!(#built #(#options)* .#finish))
    }

    /// The arguments of `at`: which dimensions are new.
    fn new_dims<'a>(&self, args: impl IntoIterator<Item = &'a Expr>) -> Result<TokenStream> {
        let mut new = Vec::new();
        for arg in args {
            match arg {
                Expr::Range(range) if range.start.is_none() && range.end.is_none() => new.push(false),
                Expr::Path(path) if path.path.is_ident("None") => new.push(true),
                other => return error(other, "write `..` for a dimension that stays and `None` for a new one"),
            }
        }
        Ok(quote!(&[#(#new),*]))
    }
}

/// Integer literals with a suffix are in its range, as Rust demands.
fn check_range(lit: &ExprLit, value: i128, suffix: &str) -> Result<()> {
    let unsigned = suffix.starts_with('u');
    let Ok(bits) = suffix.trim_start_matches(['i', 'u']).parse::<u32>() else {
        return Ok(());
    };
    if bits > 64 {
        return Ok(());
    }
    let (min, max) = if unsigned {
        (0, (1i128 << bits) - 1)
    } else {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    };
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        error(
            lit,
            format!("{value} does not fit {suffix}, whose values are {min} to {max}"),
        )
    }
}

/// The expression without invisible groups.
fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => strip(&group.expr),
        other => other,
    }
}

/// The expression without parentheses around it.
pub(crate) fn strip_parens(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => strip_parens(&group.expr),
        Expr::Paren(paren) => strip_parens(&paren.expr),
        other => other,
    }
}

/// Why an expression is not one of kernels.
pub(crate) fn unsupported(expr: &Expr) -> Error {
    let message = match expr {
        Expr::Match(_) => "`match` is not supported in kernels: use `if`, or `where_` element by element",
        Expr::Let(_) => "`if let` is not supported in kernels",
        Expr::Closure(_) => {
            "a closure combines two elements as the last argument of `reduce` or `associative_scan`; elsewhere write a \
             `#[kernel(device)]` function"
        }
        Expr::Loop(_) => "`loop` is not supported in kernels: use `while condition`, or `for`",
        Expr::Break(_) => "`break` is not supported in kernels: put the condition into `while`",
        Expr::Continue(_) => "`continue` is not supported in kernels: put the rest of the body into `if`",
        Expr::Return(_) => "`return` ends a function only as its last statement: put the rest of the body into `if`",
        Expr::Reference(_) => "kernels have no references: values copy",
        Expr::Range(_) => "`a..b` stands in `for` only: a tile of numbers is `range(a, b)`",
        Expr::Macro(_) => "macros are not supported in kernels",
        Expr::Struct(_) => "structs are not supported in kernels: use tuples",
        Expr::Repeat(_) => "a tile of one value is `full([..], value, dtype)`",
        Expr::Try(_) | Expr::Await(_) | Expr::Async(_) => "kernels have no `?` and no `await`",
        Expr::Unsafe(_) => "kernels need no `unsafe`",
        _ => "this is not supported in kernels",
    };
    Error::new_spanned(expr, message)
}
