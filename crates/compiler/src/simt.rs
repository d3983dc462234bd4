//! Kernels as programs of the SIMT executor: at the end of the `gpu` stage, and at each step of the way there.

use melior::ir::Module;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{RegionLike, Type, TypeLike};
use mytriton_simt::program::Program;
use mytriton_simt_decode::{DecodeError, KERNEL, decode};
use mytriton_ssa::{Kernel, Scalar};
use mytriton_tile::{ops::gpu::GPUFuncOp, types::ssa_scalar};
use mytriton_tile_sys as sys;

use crate::compile::{CompileOptions, StageTimes, lower, lower_given_layouts, run_pipeline};
use crate::context::new_context;
use crate::error::CompileError;
use crate::pipeline;
use crate::session::{Session, with_session};
use crate::shared;
use crate::stage::Stage;

/// The program of one thread that a verified kernel is compiled to, for the SIMT executor: what goes on from the `gpu`
/// stage to PTX. As [`compile`](crate::compile()), it takes the kernel as it is. Its parameters are the kernel's, in order.
///
/// # Errors
/// [`CompileError`] as of [`compile`](crate::compile()); at the `gpu` stage also where the executor does not know an
/// operation.
pub fn simt(kernel: &Kernel, options: &CompileOptions) -> Result<Program, CompileError> {
    with_session(|session| {
        let module = lower(session, kernel, options, Stage::Gpu, &mut StageTimes::default())?;
        let _span = tracing::debug_span!("decode", kernel = kernel.name).entered();
        program(&module, kernel)
    })
}

/// The same of a kernel whose layouts are given, as [`compile_given_layouts`](crate::compile_given_layouts) takes it.
///
/// # Errors
/// As [`compile_given_layouts`](crate::compile_given_layouts) and [`simt`].
pub fn simt_given_layouts(kernel: &Kernel, text: &str, options: &CompileOptions) -> Result<Program, CompileError> {
    with_session(|session| {
        let module = lower_given_layouts(session, kernel, text, options, Stage::Gpu, &mut StageTimes::default())?;
        program(&module, kernel)
    })
}

/// The one kernel of a module in the `gpu` stage.
fn program(module: &Module<'_>, kernel: &Kernel) -> Result<Program, CompileError> {
    let fail = |place: Option<String>, message: String| CompileError::new(Stage::Gpu, &kernel.name, place, message);
    let programs = decode(module).map_err(|DecodeError { message, place, .. }| fail(place, message))?;
    let mut programs = programs.into_iter().filter(|program| program.name == kernel.name);
    programs
        .next()
        .ok_or_else(|| fail(None, "the module holds no such kernel".to_owned()))
}

/// A kernel after a pass, in a form that can be run.
#[derive(Clone, Debug)]
pub struct Step {
    /// What was run last: a pass by its name in pipelines, or `from-ssa`, which makes the `tile` stage.
    pub after: String,
    /// The kernel.
    pub form: Form,
}

/// What can be run.
#[derive(Clone, Debug)]
pub enum Form {
    /// In the `tile` stage, as typed SSA again: by the interpreter.
    Ssa(Box<Kernel>),
    /// In the `gpu` stage: by the SIMT executor, with blocks of as many threads as it states.
    Simt(Box<Program>),
}

/// A kernel after each pass of its way to the `gpu` stage, for comparing what each one changes. Modules with layouts have
/// no form that can be run. After a pass that leads to the `layout` stage, a copy goes on to the `gpu` stage without the
/// [optional](pipeline::OPTIONAL) passes that would follow.
///
/// # Errors
/// As [`simt`].
pub fn steps(kernel: &Kernel, options: &CompileOptions) -> Result<Vec<Step>, CompileError> {
    with_session(|session| steps_in(session, kernel, options))
}

fn steps_in(session: &Session, kernel: &Kernel, options: &CompileOptions) -> Result<Vec<Step>, CompileError> {
    let mut module = lower(session, kernel, options, Stage::Tile, &mut StageTimes::default())?;
    let mut steps = vec![Step {
        after: "from-ssa".to_owned(),
        form: Form::Ssa(Box::new(tile_kernel(&module, kernel)?)),
    }];
    shared::set_target(&module, options.target);
    let runnable = |module: &Module| program(module, kernel).map(|program| Form::Simt(Box::new(program)));
    let passes_to = |stage| pipeline::leading_to(stage).map(pipeline::passes).unwrap_or_default();
    let (to_layout, to_gpu) = (passes_to(Stage::Layout), passes_to(Stage::Gpu));
    for (index, pass) in to_layout.iter().enumerate() {
        run_pipeline(session, &mut module, &pass.pipeline, Stage::Layout, &kernel.name)?;
        // From the first pass on tiles have layouts.
        let mut copy = copy_of(&module, kernel)?;
        let required = |pass: &&pipeline::Pass| !pipeline::OPTIONAL.contains(&pass.name.as_str());
        for rest in to_layout[index + 1..].iter().filter(required) {
            run_pipeline(session, &mut copy, &rest.pipeline, Stage::Layout, &kernel.name)?;
        }
        for rest in &to_gpu {
            run_pipeline(session, &mut copy, &rest.pipeline, Stage::Gpu, &kernel.name)?;
        }
        steps.push(Step {
            after: pass.name.clone(),
            form: runnable(&copy)?,
        });
    }
    for pass in to_gpu {
        run_pipeline(session, &mut module, &pass.pipeline, Stage::Gpu, &kernel.name)?;
        steps.push(Step {
            after: pass.name,
            form: runnable(&module)?,
        });
    }
    Ok(steps)
}

fn copy_of<'c>(module: &Module<'c>, kernel: &Kernel) -> Result<Module<'c>, CompileError> {
    let copy = Module::from_operation((*module.as_operation()).clone());
    let fail = || "the copy of a module is no module".to_owned();
    copy.ok_or_else(|| CompileError::new(Stage::Layout, &kernel.name, None, fail()))
}

fn tile_kernel(module: &Module<'_>, kernel: &Kernel) -> Result<Kernel, CompileError> {
    let fail = |place: Option<String>, message: String| CompileError::new(Stage::Tile, &kernel.name, place, message);
    let read = mytriton_tile::to_ssa(module).map_err(|error| fail(error.place, error.message))?;
    let read = read.kernels.into_iter().next();
    read.ok_or_else(|| fail(None, "the module holds no kernel".to_owned()))
}

/// A kernel in the `gpu` stage.
#[derive(Clone, Debug)]
pub struct GpuKernel {
    /// What it does.
    pub program: Program,
    /// What its parameters are. Those of the `gpu` stage have no names.
    pub params: Vec<GpuParam>,
}

/// A parameter in the `gpu` stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GpuParam {
    /// A number. One of 64 bits is an `i64` or an address: only the code knows.
    Scalar(Scalar),
    /// An address, of such elements if the type says so.
    Pointer(Option<Scalar>),
}

/// Is this the text of a module in the `gpu` stage? It has a `gpu.module`, which no earlier stage has.
pub fn is_gpu_stage(text: &str) -> bool {
    let code = |line: &'_ str| line.split("//").next().unwrap_or_default().contains("gpu.module");
    text.lines().any(code)
}

/// The kernels of a `.mlir` file in the `gpu` stage, written by hand or by [`emit`](crate::emit()).
///
/// # Errors
/// What MLIR's parser and verifier said, or what the SIMT executor does not know; each line begins with its place.
pub fn read_gpu(text: &str, file: &str) -> Result<Vec<GpuKernel>, String> {
    let context = new_context();
    let (module, reports) = sys::collect_diagnostics(&context, || sys::parse_module(&context, text, file));
    let Some(module): Option<Module> = module else {
        return Err(reports.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    };
    let programs = decode(&module).map_err(|error| error.to_string())?;
    let kernel = |(program, params)| GpuKernel { program, params };
    Ok(programs.into_iter().zip(signatures(&module)).map(kernel).collect())
}

/// The parameters of each kernel, in the order in which they are decoded.
fn signatures(module: &Module<'_>) -> Vec<Vec<GpuParam>> {
    let mut kernels = Vec::new();
    let mut next = module.body().first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        let block = op.region(0).ok().and_then(|region| region.first_block());
        let mut member = block.and_then(|block| block.first_operation());
        while let Some(op) = member {
            member = op.next_in_block();
            if let Some(function) = GPUFuncOp::cast(op).filter(|_| op.has_attribute(KERNEL)) {
                kernels.push(params_of(function));
            }
        }
    }
    kernels
}

fn params_of(function: GPUFuncOp<'_, '_>) -> Vec<GpuParam> {
    let Ok(ty) = FunctionType::try_from(function.function_type()) else {
        return Vec::new();
    };
    let inputs = (0..ty.input_count()).filter_map(|index| ty.input(index).ok());
    inputs.map(param).collect()
}

fn param(ty: Type<'_>) -> GpuParam {
    if let Ok(memref) = MemRefType::try_from(ty) {
        return GpuParam::Pointer(ssa_scalar(melior::ir::ShapedTypeLike::element(&memref)));
    }
    match ssa_scalar(ty) {
        Some(scalar) => GpuParam::Scalar(scalar),
        None if ty.is_index() => GpuParam::Scalar(Scalar::I64),
        // What is neither is refused when it is decoded.
        None => GpuParam::Pointer(None),
    }
}
