//! Tests of the crate, in one executable because each that holds MLIR and LLVM links slowly.

mod accuracy;
mod booleans;
mod errors;
mod fusion;
mod kernels;
mod math;
mod narrow;
mod scalars;
mod uniform;
mod values;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::ir::operation::OperationLike;
use melior::utility::register_all_dialects;
use mytriton_codegen_ptx::{Error, Options, Ptx, Target, compile};

/// An MLIR context that knows every dialect.
fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    context
}

/// Parses a module, which must be valid.
fn parse<'c>(context: &'c Context, source: &str) -> Module<'c> {
    let module = Module::parse(context, source).unwrap_or_else(|| panic!("does not parse:\n{source}"));
    assert!(module.as_operation().verify());
    module
}

/// Compiles the text of a module for a target, with default options.
fn compile_text(source: &str, target: Target) -> Result<Ptx, Error> {
    compile_with(source, &Options::new(target))
}

/// Compiles the text of a module.
fn compile_with(source: &str, options: &Options) -> Result<Ptx, Error> {
    let context = context();
    let module = parse(&context, source);
    compile(module.as_operation(), options)
}

/// A kernel `k` that loads a value of `ty` from its first pointer, computes `%r` from it (`%x`, and `%y` from the
/// second) by `body`, and stores that.
fn elementwise(ty: &str, body: &str, declarations: &str) -> String {
    format!(
        "gpu.module @m {{
           {declarations}
           llvm.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {{gpu.kernel, nvvm.kernel}} {{
             %tid = nvvm.read.ptx.sreg.tid.x : i32
             %pp = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {ty}
             %qp = llvm.getelementptr %q[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {ty}
             %x = llvm.load %pp : !llvm.ptr<1> -> {ty}
             %y = llvm.load %qp : !llvm.ptr<1> -> {ty}
             {body}
             llvm.store %r, %pp : {ty}, !llvm.ptr<1>
             llvm.return
           }}
         }}"
    )
}
