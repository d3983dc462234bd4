//! Loops and branches: the steps of the front end's `ForLoop`, `WhileLoop` and `Branch`, with the variables that a body
//! assigns named at each step.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Expr, ExprForLoop, ExprIf, ExprRange, ExprWhile, Pat, RangeLimits, Result};

use crate::carried::{assigned, assigned_in_expr};
use crate::context::{Binding, Context, error, frame_ident, span_of};
use crate::expression::strip_parens;

/// What a `for` runs over.
enum Header<'a> {
    /// At run time: start (none is 0), stop, step (none is 1).
    Run(Option<&'a Expr>, &'a Expr, Option<&'a Expr>),
    /// Unrolled at compile time.
    Static(Option<&'a Expr>, &'a Expr, Option<&'a Expr>),
}

const HEADERS: &str =
    "a loop runs over `a..b`, `(a..b).step_by(s)`, `range(a, b, s)`, or unrolled over `static_range(a, b, s)`";

fn bounds(range: &ExprRange) -> Result<(Option<&Expr>, &Expr)> {
    let Some(end) = &range.end else {
        return error(range, HEADERS);
    };
    if let RangeLimits::Closed(token) = &range.limits {
        return error(token, "the end of a loop is exclusive: write `a..b + 1`");
    }
    Ok((range.start.as_deref(), end))
}

fn header(expr: &Expr) -> Result<Header<'_>> {
    match strip_parens(expr) {
        Expr::Range(range) => {
            let (start, end) = bounds(range)?;
            Ok(Header::Run(start, end, None))
        }
        Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
            let Expr::Range(range) = strip_parens(&call.receiver) else {
                return error(&call.receiver, HEADERS);
            };
            let (start, end) = bounds(range)?;
            Ok(Header::Run(start, end, call.args.first()))
        }
        Expr::Call(call) => {
            let Expr::Path(path) = strip_parens(&call.func) else {
                return error(expr, HEADERS);
            };
            let unrolled = path.path.is_ident("static_range");
            if !unrolled && !path.path.is_ident("range") {
                return error(expr, HEADERS);
            }
            let args: Vec<&Expr> = call.args.iter().collect();
            let (start, end, step) = match args[..] {
                [end] => (None, end, None),
                [start, end] => (Some(start), end, None),
                [start, end, step] => (Some(start), end, Some(step)),
                _ => {
                    return error(
                        path,
                        format!("a loop over a range has 1 to 3 bounds, not {}", args.len()),
                    );
                }
            };
            Ok(if unrolled {
                Header::Static(start, end, step)
            } else {
                Header::Run(start, end, step)
            })
        }
        other => error(other, HEADERS),
    }
}

/// The variables that a loop or branch carries, as the front end wants them.
struct Carried {
    names: TokenStream,
    vars: TokenStream,
}

impl Context {
    /// Of the assigned variables those that exist here and may change; the others are mistakes, told where they stand.
    fn carried(&self, assigned: Vec<Ident>) -> Carried {
        let vars: Vec<Ident> = assigned
            .into_iter()
            .filter(|name| self.lookup(name) == Some(Binding::Mutable))
            .collect();
        let names = vars.iter().map(Ident::to_string);
        Carried {
            names: quote!(&[#(#names),*]),
            vars: quote!(&mut [#(&mut #vars),*]),
        }
    }

    pub(crate) fn for_loop(&self, looping: &ExprForLoop) -> Result<TokenStream> {
        if let Some(label) = &looping.label {
            return error(label, "labels are not supported in kernels");
        }
        let index = match &*looping.pat {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => Some(ident),
            Pat::Wild(_) => None,
            other => return error(other, "the index of a loop is a name or `_`"),
        };
        let header = header(&looping.expr)?;
        let bound = |e: Option<&Expr>, default: i128| match e {
            Some(e) => self.expr(e),
            None => self.call(span_of(&looping.expr), "int", &[quote!(#default)]),
        };
        let (Header::Run(start, stop, step) | Header::Static(start, stop, step)) = &header;
        let bounds = [bound(*start, 0), self.expr(stop), bound(*step, 1)];
        let site = self.site(looping.for_token.span);
        let frame = frame_ident();
        let carried = self.carried(assigned([&looping.body], None));
        let body = self.scoped(|| {
            self.declare_pattern(&looping.pat);
            self.body(&looping.body)
        });
        let pattern = &looping.pat;
        let name = index.map_or("_".to_owned(), |i| i.ident.to_string());
        if let Header::Static(..) = header {
            return Ok(quote! {
                for #pattern in #site.static_range(#(#bounds),*) { #body }
            });
        }
        let Carried { names, vars } = carried;
        let handle = Ident::new("__loop", Span::mixed_site());
        Ok(quote! {{
            let #handle = #site.begin_for([#(#bounds),*], #names, #vars);
            {
                let #pattern = #frame.named(&[#name], #handle.index());
                #body
            }
            #handle.finish(#vars);
        }})
    }

    pub(crate) fn while_loop(&self, looping: &ExprWhile) -> Result<TokenStream> {
        if let Some(label) = &looping.label {
            return error(label, "labels are not supported in kernels");
        }
        let site = self.site(looping.while_token.span);
        let Carried { names, vars } = self.carried(assigned([&looping.body], Some(&looping.cond)));
        let condition = self.expr(&looping.cond);
        let body = self.body(&looping.body);
        let handle = Ident::new("__loop", Span::mixed_site());
        let test = Ident::new("__test", Span::mixed_site());
        Ok(quote! {{
            let mut #handle = #site.begin_while(#names, #vars);
            let #test = #condition;
            #handle.test(#test, #vars);
            { #body }
            #handle.finish(#vars);
        }})
    }

    pub(crate) fn branch(&self, branch: &ExprIf) -> Result<TokenStream> {
        let site = self.site(branch.if_token.span);
        let mut changed = assigned([&branch.then_branch], None);
        if let Some((_, otherwise)) = &branch.else_branch {
            for name in assigned_in_expr(otherwise) {
                if !changed.contains(&name) {
                    changed.push(name);
                }
            }
        }
        let Carried { names, vars } = self.carried(changed);
        let condition = self.expr(&branch.cond);
        let then = self.block(&branch.then_branch);
        let otherwise = match &branch.else_branch {
            Some((_, otherwise)) => self.expr(otherwise),
            None => quote!(()),
        };
        let handle = Ident::new("__branch", Span::mixed_site());
        let (first, second) = (
            Ident::new("__then", Span::mixed_site()),
            Ident::new("__else", Span::mixed_site()),
        );
        let (some, none) = (
            quote!(::core::option::Option::Some),
            quote!(::core::option::Option::None),
        );
        Ok(quote! {{
            let mut #handle = #site.begin_if(#condition, #vars);
            let #first = if #handle.enter_then() { #some(#then) } else { #none };
            let #second = if #handle.enter_else(#vars) { #some(#otherwise) } else { #none };
            #handle.finish(#names, #vars, #first, #second)
        }})
    }
}
