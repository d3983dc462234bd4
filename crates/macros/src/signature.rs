//! A kernel's name, type parameters and parameters.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Error, FnArg, GenericArgument, GenericParam, Pat, PathArguments, Result, ReturnType, Signature, Type};

use crate::context::{dtype_variant, error};

/// The most parameters that a kernel may have: what a specialisation can speak of.
const MAX_PARAMS: usize = 128;

/// The element type of a parameter.
#[derive(Clone)]
pub(crate) enum DTypeName {
    /// The name as written, and the variant of `DType`.
    Is(Ident, Ident),
    /// A type parameter and its number.
    Generic(Ident, usize),
}

pub(crate) enum ParamType {
    Ptr(DTypeName),
    Scalar(DTypeName),
    /// The name of the type, and the variant of `ConstexprKind`.
    Constexpr(TokenStream, &'static str),
    /// Device functions only: any value.
    Tile,
}

pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) mutable: bool,
    pub(crate) ty: ParamType,
}

pub(crate) struct Parsed {
    pub(crate) name: Ident,
    pub(crate) generics: Vec<Ident>,
    pub(crate) params: Vec<Param>,
    /// How many values a device function returns; none for a kernel.
    pub(crate) returns: Returns,
}

/// What a function returns.
pub(crate) enum Returns {
    Nothing,
    One,
    Tuple(Vec<Returns>),
}

impl Parsed {
    pub(crate) fn new(signature: &Signature, device: bool) -> Result<Parsed> {
        let what = if device { "a device function" } else { "a kernel" };
        for (found, word) in [
            (signature.asyncness.map(|t| t.span), "async"),
            (signature.unsafety.map(|t| t.span), "unsafe"),
            (signature.constness.map(|t| t.span), "const"),
            (signature.abi.as_ref().map(Spanned::span), "extern"),
        ] {
            if let Some(span) = found {
                return Err(Error::new(span, format!("{what} is a plain function, not `{word}`")));
            }
        }
        check_name(&signature.ident)?;
        let mut generics = Vec::new();
        for generic in &signature.generics.params {
            match generic {
                GenericParam::Type(ty) if device => {
                    return error(
                        ty,
                        "device functions take values of any type: write `Tile` instead of a type parameter",
                    );
                }
                GenericParam::Type(ty) => generics.push(ty.ident.clone()),
                GenericParam::Const(c) => {
                    return error(
                        c,
                        format!("write `#[constexpr] {}: ..` among the parameters instead", c.ident),
                    );
                }
                GenericParam::Lifetime(l) => return error(l, format!("{what} has no lifetimes")),
            }
        }
        let returns = returns(&signature.output, device)?;
        let mut params = Vec::new();
        let mut errors: Option<Error> = None;
        for arg in &signature.inputs {
            match param(arg, &generics, device) {
                Ok(param) => params.push(param),
                Err(e) => match &mut errors {
                    Some(all) => all.combine(e),
                    None => errors = Some(e),
                },
            }
        }
        if let Some(errors) = errors {
            return Err(errors);
        }
        if params.len() > MAX_PARAMS {
            return error(&signature.ident, format!("{what} has at most {MAX_PARAMS} parameters"));
        }
        Ok(Parsed {
            name: signature.ident.clone(),
            generics,
            params,
            returns,
        })
    }
}

/// Names reach the compiler's text forms, which know plain identifiers.
fn check_name(name: &Ident) -> Result<()> {
    let text = name.to_string();
    if text.is_ascii() && !text.starts_with("r#") {
        return Ok(());
    }
    error(
        name,
        "names of kernels and parameters are of ASCII letters, digits and underscores",
    )
}

fn returns(output: &ReturnType, device: bool) -> Result<Returns> {
    let ReturnType::Type(_, ty) = output else {
        return Ok(Returns::Nothing);
    };
    if !device {
        return error(output, "a kernel returns nothing: results are stored through pointers");
    }
    return_type(ty)
}

fn return_type(ty: &Type) -> Result<Returns> {
    match ty {
        Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Returns::Nothing),
        Type::Tuple(tuple) => Ok(Returns::Tuple(
            tuple.elems.iter().map(return_type).collect::<Result<_>>()?,
        )),
        Type::Paren(paren) => return_type(&paren.elem),
        Type::Path(path) if path.path.is_ident("Tile") => Ok(Returns::One),
        other => error(other, "a device function returns `Tile` or a tuple of them"),
    }
}

fn param(arg: &FnArg, generics: &[Ident], device: bool) -> Result<Param> {
    let FnArg::Typed(arg) = arg else {
        return error(arg, "a kernel has no `self`");
    };
    let Pat::Ident(pattern) = &*arg.pat else {
        return error(&arg.pat, "a parameter is a plain name");
    };
    let mut constexpr = false;
    for attribute in &arg.attrs {
        if attribute.path().is_ident("constexpr") {
            constexpr = true;
        } else {
            return error(attribute, "the attribute of a parameter is `#[constexpr]`");
        }
    }
    check_name(&pattern.ident)?;
    let ty = if constexpr {
        constexpr_type(&arg.ty)?
    } else {
        param_type(&arg.ty, generics, device)?
    };
    Ok(Param {
        name: pattern.ident.clone(),
        mutable: pattern.mutability.is_some(),
        ty,
    })
}

/// The last name of a path type, and its arguments.
fn path_type(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        Type::Paren(paren) => path_type(&paren.elem),
        _ => None,
    }
}

fn constexpr_type(ty: &Type) -> Result<ParamType> {
    const KINDS: &[(&str, &str)] = &[
        ("bool", "Bool"),
        ("i32", "I32"),
        ("i64", "I64"),
        ("f32", "F32"),
        ("f64", "F64"),
        ("DType", "DType"),
    ];
    let found = path_type(ty).and_then(|s| KINDS.iter().find(|(name, _)| s.ident == name));
    match found {
        Some(&("DType", kind)) => Ok(ParamType::Constexpr(quote!(DType), kind)),
        Some(&(_, kind)) => Ok(ParamType::Constexpr(quote!(#ty), kind)),
        None => error(ty, "a constexpr parameter is a bool, i32, i64, f32, f64 or DType"),
    }
}

pub(crate) fn dtype_name(name: &Ident, generics: &[Ident]) -> Option<DTypeName> {
    if let Some(i) = generics.iter().position(|g| g == name) {
        return Some(DTypeName::Generic(name.clone(), i));
    }
    Some(DTypeName::Is(name.clone(), dtype_variant(name)?))
}

/// The `T` of `Ptr<T>`.
pub(crate) fn pointee(ty: &Type) -> Option<&Type> {
    let segment = path_type(ty).filter(|s| s.ident == "Ptr")?;
    match &segment.arguments {
        PathArguments::AngleBracketed(args) if args.args.len() == 1 => match args.args.first() {
            Some(GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

fn param_type(ty: &Type, generics: &[Ident], device: bool) -> Result<ParamType> {
    let types = "bool, i8 to i64, u8 to u64, f16, bf16, f32 or f64";
    if let Some(pointee) = pointee(ty) {
        let dtype = path_type(pointee).and_then(|s| dtype_name(&s.ident, generics));
        return match dtype {
            Some(dtype) => Ok(ParamType::Ptr(dtype)),
            None => error(pointee, format!("a pointer is to {types}")),
        };
    }
    match path_type(ty) {
        Some(segment) if segment.ident == "Tile" && device => Ok(ParamType::Tile),
        Some(segment) => match dtype_name(&segment.ident, generics) {
            Some(dtype) if segment.arguments.is_none() => Ok(ParamType::Scalar(dtype)),
            _ if segment.ident == "usize" || segment.ident == "isize" => error(
                ty,
                format!("`{}` differs between machines: use i32 or i64", segment.ident),
            ),
            _ if segment.ident == "DType" => {
                error(ty, "a DType is known at compile time: write `#[constexpr]` before it")
            }
            _ => error(ty, format!("a parameter is a Ptr<T>, or a scalar: {types}")),
        },
        None => error(ty, format!("a parameter is a Ptr<T>, or a scalar: {types}")),
    }
}

impl DTypeName {
    /// The Rust type of elements on the host.
    pub(crate) fn host_type(&self, front: &TokenStream) -> TokenStream {
        match self {
            DTypeName::Is(name, _) if name == "f16" || name == "bf16" => quote!(#front::#name),
            DTypeName::Is(name, _) | DTypeName::Generic(name, _) => quote!(#name),
        }
    }

    /// The constant of the front end's `DTypeRef`.
    pub(crate) fn reference(&self, front: &TokenStream) -> TokenStream {
        match self {
            DTypeName::Is(_, variant) => quote!(#front::DTypeRef::Is(#front::DType::#variant)),
            DTypeName::Generic(_, index) => quote!(#front::DTypeRef::Generic(#index)),
        }
    }

    /// The element type in a body.
    pub(crate) fn in_body(&self, front: &TokenStream) -> TokenStream {
        match self {
            DTypeName::Is(_, variant) => quote!(#front::DType::#variant),
            DTypeName::Generic(name, _) => quote!(#name),
        }
    }
}

impl Returns {
    /// The Rust type in staging code.
    pub(crate) fn tokens(&self, expr: &TokenStream) -> TokenStream {
        match self {
            Returns::Nothing => quote!(()),
            Returns::One => expr.clone(),
            Returns::Tuple(parts) => {
                let parts = parts.iter().map(|p| p.tokens(expr));
                quote!((#(#parts,)*))
            }
        }
    }
}

/// The span to report a parameter at.
pub(crate) fn place(span: Span) -> (u32, u32) {
    let start = span.start();
    (start.line as u32, start.column as u32 + 1)
}
