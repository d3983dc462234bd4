//! The attribute's options.

use syn::parse::Parser;
use syn::{Error, Path, Result, meta::ParseNestedMeta};

pub(crate) struct Options {
    /// Is this a device function rather than a kernel?
    pub(crate) device: bool,
    /// Where the facade crate is found.
    pub(crate) facade: Path,
}

impl Options {
    pub(crate) fn parse(tokens: proc_macro2::TokenStream) -> Result<Options> {
        let mut options = Options {
            device: false,
            facade: syn::parse_quote!(::mytriton),
        };
        let parser = syn::meta::parser(|meta: ParseNestedMeta| {
            if meta.path.is_ident("device") {
                options.device = true;
            } else if meta.path.is_ident("crate") {
                options.facade = meta.value()?.parse()?;
            } else {
                return Err(Error::new_spanned(
                    meta.path,
                    "unknown option: `#[kernel]` takes `device` and `crate = path`",
                ));
            }
            Ok(())
        });
        parser.parse2(tokens)?;
        Ok(options)
    }
}
