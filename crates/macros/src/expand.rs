//! What the attribute writes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Attribute, Expr, ItemFn, Result, Stmt};

use crate::context::{Binding, Context, error, frame_ident};
use crate::options::Options;
use crate::signature::{Param, ParamType, Parsed, Returns, place};

pub(crate) fn kernel(options: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let options = Options::parse(options)?;
    let hash = fnv1a(&item.to_string());
    let function: ItemFn = syn::parse2(item)?;
    let parsed = Parsed::new(&function.sig, options.device)?;
    if options.device {
        device(&options, &function, &parsed)
    } else {
        host(&options, &function, &parsed, hash)
    }
}

/// Lints that staging code trips and its author's code does not.
fn allowed() -> TokenStream {
    quote!(#[allow(non_snake_case, unused_assignments, unused_parens, dead_code, clippy::all)])
}

/// The attributes for the item that carries the documentation, and those for everything else.
fn attributes(function: &ItemFn) -> (Vec<&Attribute>, Vec<&Attribute>) {
    let shared = |a: &&Attribute| {
        ["cfg", "allow", "expect", "warn", "deny"]
            .iter()
            .any(|n| a.path().is_ident(n))
    };
    let all = function.attrs.iter().collect();
    (all, function.attrs.iter().filter(shared).collect())
}

/// The body's statements, and whether the last is the function's value. A `return` at the end is one.
fn body(context: &Context, function: &ItemFn, value: bool) -> TokenStream {
    let mut statements = function.block.stmts.clone();
    if let Some(Stmt::Expr(Expr::Return(last), _)) = statements.last() {
        let last = last.expr.as_ref().map(|e| Stmt::Expr((**e).clone(), None));
        statements.pop();
        statements.extend(last);
    }
    context.scoped(|| context.statements(&statements, value))
}

fn declare(context: &Context, params: &[Param]) {
    for param in params {
        let binding = match param.ty {
            ParamType::Constexpr(..) => Binding::Constexpr,
            _ if param.mutable => Binding::Mutable,
            _ => Binding::Fixed,
        };
        context.declare(param.name.clone(), binding);
    }
}

fn pattern(param: &Param) -> TokenStream {
    let name = &param.name;
    if param.mutable {
        quote!(mut #name)
    } else {
        quote!(#name)
    }
}

/// A kernel: a type without values, with what launchers need.
fn host(options: &Options, function: &ItemFn, parsed: &Parsed, hash: u64) -> Result<TokenStream> {
    let context = Context::new(&options.facade);
    let front = context.front.clone();
    let Parsed {
        name, generics, params, ..
    } = parsed;
    generics
        .iter()
        .for_each(|g| context.declare(g.clone(), Binding::Constexpr));
    declare(&context, params);
    let body = body(&context, function, false);
    context.finish()?;

    let (documented, shared) = attributes(function);
    let (vis, allowed) = (&function.vis, allowed());
    let text = name.to_string();
    let (line, column) = place(name.span());
    let definitions = params.iter().map(|p| {
        let name = p.name.to_string();
        let (line, column) = place(p.name.span());
        let kind = match &p.ty {
            ParamType::Ptr(dtype) => {
                let dtype = dtype.reference(&front);
                quote!(Ptr(#dtype))
            }
            ParamType::Scalar(dtype) => {
                let dtype = dtype.reference(&front);
                quote!(Scalar(#dtype))
            }
            ParamType::Constexpr(_, kind) => {
                let kind = Ident::new(kind, Span::call_site());
                quote!(Constexpr(#front::ConstexprKind::#kind))
            }
            ParamType::Tile => quote!(),
        };
        quote!(#front::ParamDef { name: #name, kind: #front::ParamKind::#kind, line: #line, column: #column })
    });
    let generic_names = generics.iter().map(Ident::to_string);

    let (frame, args) = (frame_ident(), Ident::new("__args", Span::mixed_site()));
    let generic_lets = generics
        .iter()
        .enumerate()
        .map(|(i, g)| quote!(#[allow(unused_variables)] let #g = #args[#i];));
    let param_lets = params.iter().enumerate().map(|(i, p)| {
        let (pattern, i) = (pattern(p), generics.len() + i);
        quote!(let #pattern = #args[#i];)
    });

    let bounds = quote!(<#(#generics: #front::Element),*>);
    let constexpr_params: Vec<TokenStream> = constexpr_params(params, &front).collect();
    let values = constexpr_values(generics, params, &front);
    let launch = launch(options, parsed, &bounds, &values);
    let build_doc = format!("The typed SSA of `{text}` for these compile-time values.");
    Ok(quote! {
        #(#documented)*
        #[allow(non_camel_case_types)]
        #vis enum #name {}

        #(#shared)*
        #allowed
        impl #name {
            /// What launchers need to know of the kernel.
            pub fn definition() -> &'static #front::KernelDef {
                static DEFINITION: #front::KernelDef = #front::KernelDef {
                    name: #text,
                    file: ::core::file!(),
                    line: #line,
                    column: #column,
                    generics: &[#(#generic_names),*],
                    params: &[#(#definitions),*],
                    source_hash: #hash,
                    build: #name::__build,
                };
                &DEFINITION
            }

            fn __build(
                values: &[#front::ConstexprValue],
                facts: &#front::Specialization,
            ) -> ::core::result::Result<#front::Kernel, #front::FrontendError> {
                #front::stage(Self::definition(), values, facts, |#frame, #args| {
                    #(#generic_lets)*
                    #(#param_lets)*
                    #body
                })
            }

            #[doc = #build_doc]
            pub fn build #bounds (
                #(#constexpr_params),*
            ) -> ::core::result::Result<#front::Kernel, #front::FrontendError> {
                Self::__build(&[#(#values),*], &#front::Specialization::NONE)
            }

            #launch
        }
    })
}

fn constexpr_params<'a>(params: &'a [Param], front: &'a TokenStream) -> impl Iterator<Item = TokenStream> + 'a {
    params.iter().filter_map(move |p| match &p.ty {
        ParamType::Constexpr(ty, kind) => {
            let name = &p.name;
            let ty = if *kind == "DType" {
                quote!(#front::DType)
            } else {
                ty.clone()
            };
            Some(quote!(#name: #ty))
        }
        _ => None,
    })
}

fn constexpr_values(generics: &[Ident], params: &[Param], front: &TokenStream) -> Vec<TokenStream> {
    let types = generics
        .iter()
        .map(|g| quote!(#front::ConstexprValue::DType(<#g as #front::Element>::DTYPE)));
    let values = params.iter().filter_map(|p| match &p.ty {
        ParamType::Constexpr(_, kind) => {
            let (name, kind) = (&p.name, Ident::new(kind, Span::call_site()));
            Some(quote!(#front::ConstexprValue::#kind(#name)))
        }
        _ => None,
    });
    types.chain(values).collect()
}

/// The typed launch function: arguments on the stack, one cache slot per kernel.
fn launch(options: &Options, parsed: &Parsed, bounds: &TokenStream, values: &[TokenStream]) -> TokenStream {
    let facade = &options.facade;
    let front = quote!(#facade::frontend);
    let [on, grid] = ["on", "grid"].map(|n| Ident::new(n, Span::mixed_site()));
    let mut declared = Vec::new();
    let mut args = Vec::new();
    for param in &parsed.params {
        let name = &param.name;
        match &param.ty {
            ParamType::Ptr(dtype) => {
                let ty = dtype.host_type(&front);
                declared.push(quote!(mut #name: impl #facade::PtrArg<#ty>));
                args.push(quote!(#facade::PtrArg::<#ty>::arg(&mut #name)));
            }
            ParamType::Scalar(dtype) => {
                let ty = dtype.host_type(&front);
                declared.push(quote!(#name: #ty));
                args.push(quote!(#facade::Arg::from(#front::ScalarValue::new(#name))));
            }
            ParamType::Constexpr(ty, kind) => {
                let ty = if *kind == "DType" {
                    quote!(#front::DType)
                } else {
                    ty.clone()
                };
                declared.push(quote!(#name: #ty));
            }
            ParamType::Tile => {}
        }
    }
    let doc = format!(
        "Launches `{}` on a device or stream, one program for each cell of the grid, compiling it first where needed.",
        parsed.name
    );
    quote! {
        #[doc = #doc]
        pub fn launch #bounds (
            #on: impl #facade::Launcher,
            #grid: impl ::core::convert::Into<#facade::Grid>,
            #(#declared),*
        ) -> ::core::result::Result<(), #facade::LaunchError> {
            static CACHE: #facade::KernelCache = #facade::KernelCache::new();
            #facade::launch(
                #on,
                Self::definition(),
                &CACHE,
                ::core::convert::Into::into(#grid),
                &[#(#args),*],
                &[#(#values),*],
            )
        }
    }
}

/// A device function: a Rust function on front-end values, run where kernels call it.
fn device(options: &Options, function: &ItemFn, parsed: &Parsed) -> Result<TokenStream> {
    let context = Context::new(&options.facade);
    let front = context.front.clone();
    let Parsed {
        name, params, returns, ..
    } = parsed;
    let text = name.to_string();
    if let Some(advice) = crate::advice::of_name(&text) {
        let what = "which kernels are told about: choose another name";
        return error(name, format!("`{text}` is a name of Triton's ({advice}), {what}"));
    }
    if crate::builtins::find(&text).is_some() || crate::builtins::SPECIAL.contains(&text.as_str()) {
        return error(
            name,
            format!("`{text}` is a builtin, which kernels would call instead: choose another name"),
        );
    }
    declare(&context, params);
    let has_value = !matches!(returns, Returns::Nothing);
    let body = body(&context, function, has_value);
    context.finish()?;

    let (documented, _) = attributes(function);
    let (vis, allowed, frame) = (&function.vis, allowed(), frame_ident());
    let site = Ident::new("__site", Span::mixed_site());
    let lifetime = syn::Lifetime::new("'k", Span::mixed_site());
    let expr = quote!(#front::Expr<#lifetime>);
    let result = returns.tokens(&expr);
    let names = params.iter().map(|p| &p.name);
    let checked = params.iter().map(|p| {
        let (name, pattern, text) = (&p.name, pattern(p), p.name.to_string());
        match &p.ty {
            ParamType::Tile if p.mutable => quote!(let #pattern = #name;),
            ParamType::Tile => quote!(),
            ParamType::Ptr(dtype) => {
                let dtype = dtype.in_body(&front);
                quote!(let #pattern = #site.annotated_ptr(#name, #dtype);)
            }
            ParamType::Scalar(dtype) => {
                let dtype = dtype.in_body(&front);
                quote!(let #pattern = #site.annotated(#name, #dtype);)
            }
            ParamType::Constexpr(..) => quote!(let #pattern = #site.constexpr(#text, #name);),
        }
    });
    Ok(quote! {
        #(#documented)*
        #allowed
        #vis fn #name<#lifetime>(#site: #front::Site<#lifetime>, #(#names: #expr),*) -> #result {
            // Arguments are checked at the call, before the function is entered.
            #(#checked)*
            let #frame = #site.enter(::core::file!(), #text);
            if !#frame.may_run() {
                return <#result as #front::Staged<#lifetime>>::poison(#site.builder());
            }
            #body
        }
    })
}

/// The 64-bit FNV-1a hash of a text.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn hashes_as_published() {
        assert_eq!(fnv1a(""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_F739_67E8);
    }
}
