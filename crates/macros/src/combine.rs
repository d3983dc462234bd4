//! Reductions and scans by a closure, or a device function, that combines two elements.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprClosure, Pat, Result, ReturnType};

use crate::builtins;
use crate::context::{Context, error, frame_ident, span_of};
use crate::expression::strip_parens;
use crate::statement::{check_pattern, slots};

const COMBINE: &str =
    "the last argument combines two elements: a closure `|a, b| ..`, or the name of a device function";

impl Context {
    /// `reduce(x, axis, |a, b| ..)`: the call of a builtin whose last argument combines.
    pub(crate) fn combining(&self, call: &ExprCall, target: &str) -> Result<TokenStream> {
        let mut args: Vec<&Expr> = call.args.iter().collect();
        let Some(last) = args.pop() else {
            return error(call, COMBINE);
        };
        let mut tokens: Vec<TokenStream> = args.into_iter().map(|e| self.expr(e)).collect();
        tokens.push(match strip_parens(last) {
            Expr::Closure(closure) => self.closure(closure)?,
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    if self.lookup(name).is_some() {
                        return error(name, COMBINE);
                    }
                    if builtins::find(&name.to_string()).is_some() {
                        return error(name, format!("a builtin is called in a closure: `|a, b| {name}(a, b)`"));
                    }
                }
                let site = self.device_site(path.span());
                let (left, right) = sides();
                // Of several tiles a device function takes the elements one by one, those of the first side first.
                let elements = |side: &Ident| match call.args.first().map(strip_parens) {
                    Some(Expr::Tuple(tiles)) => {
                        let indices = (0..tiles.elems.len()).map(syn::Index::from);
                        quote!(#(#side.#indices),*)
                    }
                    _ => quote!(#side),
                };
                let (first, second) = (elements(&left), elements(&right));
                quote!(|#left, #right| #path(#site, #first, #second))
            }
            other => return error(other, COMBINE),
        });
        Ok(self.call(span_of(&call.func), target, &tokens))
    }

    fn closure(&self, closure: &ExprClosure) -> Result<TokenStream> {
        let [a, b] = &closure.inputs.iter().collect::<Vec<_>>()[..] else {
            let inputs = closure.inputs.len();
            let text = format!("a combiner takes two elements, `|a, b| ..`, not {inputs} (tuples for several tiles)");
            return error(closure, text);
        };
        if let ReturnType::Type(_, ty) = &closure.output {
            return error(ty, "the type of a combiner is that of the elements: leave it out");
        }
        if let Some(token) = closure.capture {
            return error(&token, "a combiner captures nothing at run time: leave `move` out");
        }
        check_pattern(a)?;
        check_pattern(b)?;
        let (left, right) = sides();
        let frame = frame_ident();
        let bind = |pattern: &Pat, side: &Ident| {
            let mut names = Vec::new();
            slots(pattern, &mut names);
            quote!(let #pattern = #frame.named(&[#(#names),*], #side);)
        };
        let (first, second) = (bind(a, &left), bind(b, &right));
        let body = self.closed(|| {
            self.declare_pattern(a);
            self.declare_pattern(b);
            self.expr(&closure.body)
        });
        Ok(quote!(|#left, #right| { #first #second #body }))
    }
}

/// The arguments of the closure that is written, invisible to the user's code.
fn sides() -> (Ident, Ident) {
    let name = |text| Ident::new(text, Span::mixed_site());
    (name("__left"), name("__right"))
}
