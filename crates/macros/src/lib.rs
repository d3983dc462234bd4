//! `#[kernel]`: plain Rust functions as tile kernels. Use it through the crate `mytriton`, which documents the language.
//!
//! The function's body becomes staging code for `mytriton_frontend`: each operator and builtin a call that builds an
//! operation, with the place of its source. Names resolve as in any Rust code, so that host constants and device functions
//! are used by their paths. What cannot be known here is left to the staging code, which reports it by place.
//!
//! # What the facade provides
//! The written code names these items of the facade (`::mytriton`, or the option `crate`) and nothing else:
//! * `frontend`: the crate `mytriton_frontend`.
//! * `Launcher`: the trait of what kernels are launched on (`&Device`, a stream).
//! * `Grid`: the launch's extent; the launch function takes `impl Into<Grid>`.
//! * `PtrArg<T>`: the trait of pointer arguments to `T`, with `fn arg(&mut self) -> Arg<'_>`.
//! * `Arg<'a>`: an argument, also `From<frontend::ScalarValue>`.
//! * `KernelCache`: what is kept for each kernel in a `static`, with `const fn new()`.
//! * `LaunchError`, and `fn launch(on: impl Launcher, def: &'static frontend::KernelDef, cache: &'static KernelCache,
//!   grid: Grid, args: &[Arg<'_>], constexprs: &[frontend::ConstexprValue]) -> Result<(), LaunchError>`.

mod advice;
mod builtins;
mod carried;
mod combine;
mod context;
mod control;
mod expand;
mod expression;
mod options;
mod signature;
mod statement;

use proc_macro::TokenStream;

/// Makes a kernel of a function, or with `#[kernel(device)]` a function that kernels call.
///
/// ```ignore
/// #[kernel]
/// fn saxpy(x: Ptr<f32>, y: Ptr<f32>, a: f32, n: i32, #[constexpr] BLOCK: i32) {
///     let at = program_id(0) * BLOCK + range(0, BLOCK);
///     let mask = at < n;
///     let v = a * load(x + at).mask(mask) + load(y + at).mask(mask);
///     store(y + at, v).mask(mask);
/// }
///
/// saxpy::launch(&device, Grid(n.div_ceil(1024)), &x, &mut y, 2.0, n, 1024)?;
/// ```
///
/// The name becomes a type without values that has `launch`, `build` (typed SSA for given constexpr values) and
/// `definition`. Options: `device`; `crate = path`, where `mytriton` is found under another name.
#[proc_macro_attribute]
pub fn kernel(options: TokenStream, item: TokenStream) -> TokenStream {
    match expand::kernel(options.into(), item.into()) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.into_compile_error().into(),
    }
}
