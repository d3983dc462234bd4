//! What is in scope while a body is rewritten.

use std::cell::{Cell, RefCell};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Path, Result};

/// Element types, as kernels name them.
pub(crate) const DTYPES: &[(&str, &str)] = &[
    ("bool", "Bool"),
    ("i8", "I8"),
    ("i16", "I16"),
    ("i32", "I32"),
    ("i64", "I64"),
    ("u8", "U8"),
    ("u16", "U16"),
    ("u32", "U32"),
    ("u64", "U64"),
    ("f16", "F16"),
    ("bf16", "BF16"),
    ("f32", "F32"),
    ("f64", "F64"),
];

/// The variant of `DType` that a name stands for.
pub(crate) fn dtype_variant(name: &Ident) -> Option<Ident> {
    let found = DTYPES.iter().find(|(text, _)| name == text)?;
    Some(Ident::new(found.1, name.span()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// `let x`, a parameter.
    Fixed,
    /// `let mut x`.
    Mutable,
    /// A constexpr or type parameter: known at compile time, for good.
    Constexpr,
    /// A `let mut x` around the closure that stands here.
    Captured,
}

/// The rewriting of one function.
pub(crate) struct Context {
    /// Path of the front end: `::mytriton::frontend`.
    pub(crate) front: TokenStream,
    scopes: RefCell<Vec<Vec<(Ident, Binding)>>>,
    /// How many of the scopes are around the closure that is being rewritten.
    around: Cell<usize>,
    errors: RefCell<Vec<Error>>,
}

impl Context {
    pub(crate) fn new(facade: &Path) -> Context {
        Context {
            front: quote!(#facade::frontend),
            scopes: RefCell::new(vec![Vec::new()]),
            around: Cell::new(0),
            errors: RefCell::new(Vec::new()),
        }
    }

    /// Runs `f` in a new scope of variables.
    pub(crate) fn scoped<T>(&self, f: impl FnOnce() -> T) -> T {
        self.scopes.borrow_mut().push(Vec::new());
        let result = f();
        self.scopes.borrow_mut().pop();
        result
    }

    pub(crate) fn declare(&self, name: Ident, binding: Binding) {
        if let Some(scope) = self.scopes.borrow_mut().last_mut() {
            scope.push((name, binding));
        }
    }

    pub(crate) fn lookup(&self, name: &Ident) -> Option<Binding> {
        let scopes = self.scopes.borrow();
        let mut all = scopes
            .iter()
            .enumerate()
            .rev()
            .flat_map(|(depth, scope)| scope.iter().rev().map(move |entry| (depth, entry)));
        let (depth, &(_, binding)) = all.find(|(_, (n, _))| n == name)?;
        Some(match binding {
            Binding::Mutable if depth < self.around.get() => Binding::Captured,
            binding => binding,
        })
    }

    /// Runs `f` in the scope of a closure, whose variables are its own: those around it cannot be assigned.
    pub(crate) fn closed<T>(&self, f: impl FnOnce() -> T) -> T {
        let around = self.around.replace(self.scopes.borrow().len());
        let result = self.scoped(f);
        self.around.set(around);
        result
    }

    /// Notes an error and goes on, so that one compilation shows all of them.
    pub(crate) fn note(&self, error: Error) {
        self.errors.borrow_mut().push(error);
    }

    pub(crate) fn finish(self) -> Result<()> {
        let combine = |mut all: Error, e| {
            all.combine(e);
            all
        };
        match self.errors.into_inner().into_iter().reduce(combine) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// The builder at the place of some tokens.
    pub(crate) fn site(&self, span: Span) -> TokenStream {
        let frame = frame_ident();
        let start = span.start();
        let (line, column) = (start.line as u32, start.column as u32 + 1);
        quote_spanned!(Span::mixed_site()=> #frame.at(#line, #column))
    }

    /// What a device function takes in front of its arguments. Where another function is called, the Rust compiler says at the
    /// place that it is none.
    pub(crate) fn device_site(&self, span: Span) -> TokenStream {
        let (front, site) = (&self.front, self.site(span));
        let function = Ident::new("device_site", Span::mixed_site().located_at(span));
        quote!(#front::#function(#site))
    }

    /// A call of a builder method at the place of some tokens. The method's name takes their span, so that mistakes which
    /// only the Rust compiler finds are shown there.
    pub(crate) fn call(&self, span: Span, method: &str, args: &[TokenStream]) -> TokenStream {
        let site = self.site(span);
        let method = Ident::new(method, Span::mixed_site().located_at(span));
        quote!(#site.#method(#(#args),*))
    }
}

/// The variable that holds the frame, invisible to the user's code.
pub(crate) fn frame_ident() -> Ident {
    Ident::new("__frame", Span::mixed_site())
}

/// An error at some tokens.
pub(crate) fn error<T>(tokens: &impl ToTokens, message: impl std::fmt::Display) -> Result<T> {
    Err(Error::new_spanned(tokens, message))
}

/// The span where some tokens start.
pub(crate) fn span_of(tokens: &impl Spanned) -> Span {
    tokens.span()
}
