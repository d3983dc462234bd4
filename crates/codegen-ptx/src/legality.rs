//! What the NVPTX backend cannot select, found before it fails on it.
//!
//! Two looks at a module: at the MLIR operations, which know where they come from ([`check_operations`]), and at the
//! finished LLVM module, for what passes have introduced ([`check_module`]). Both ask the same two rules:
//! `lacking` for LLVM's own intrinsics, by trial of every one against LLVM 22 (an `llc` run for each type), and
//! `needed_target` for NVVM's, from the PTX ISA's "target notes".

use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{AnyValueEnum, BasicValue, BasicValueEnum, FastMathFlags, FunctionValue, InstructionValue};
use melior::ir::operation::{OperationLike, OperationRef, WalkOrder, WalkResult};
use melior::ir::{TypeLike, ValueLike};
use mytriton_tile::emit::element_type;
use mytriton_tile::name_of;
use mytriton_tile::ops::{func, gpu, llvm};
use mytriton_tile_sys::place_text;

use crate::error::Error;
use crate::math;
use crate::target::Target;
use crate::translate::symbol_name;

/// Functions that the CUDA driver itself provides to device code.
const DRIVER_FUNCTIONS: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// Checks every operation of the device module `operation`.
///
/// # Errors
/// [`Error::UnsupportedIntrinsic`] or [`Error::NeedsNewerTarget`] for the first operation that fails, with its location.
pub fn check_operations(operation: OperationRef<'_, '_>, target: Target) -> Result<(), Error> {
    let mut result = Ok(());
    operation.walk(WalkOrder::PreOrder, |operation| {
        result = check_operation(operation, target);
        if result.is_ok() {
            WalkResult::Advance
        } else {
            WalkResult::Interrupt
        }
    });
    result
}

fn check_operation(operation: OperationRef<'_, '_>, target: Target) -> Result<(), Error> {
    let name = name_of(operation);
    let location = || place_text(operation.location());
    if let Some(rest) = name.strip_prefix("nvvm.") {
        return match needed_target(rest) {
            Some(needs) if !target.has(needs) => Err(Error::NeedsNewerTarget {
                operation: name,
                function: function_around(operation),
                location: location(),
                needs,
                target,
            }),
            _ => Ok(()),
        };
    }
    let Some(base) = name.strip_prefix("llvm.intr.") else {
        return Ok(());
    };
    // Whether there is a question is asked first: types are dear to print.
    let (Some(lacks), Ok(operand)) = (lacking(base), operation.operand(0)) else {
        return Ok(());
    };
    let ty = operand.r#type();
    let flags = operation.attribute("fastmathFlags").ok();
    let flags = flags.and_then(llvm::FastmathFlags::of);
    let kind = Kind {
        element: element_type(ty).to_string(),
        vector: ty.is_vector(),
        approximate: flags.is_some_and(|flags| flags.contains(llvm::FastmathFlags::AFN)),
    };
    match lacks(&kind) {
        true => Err(Error::UnsupportedIntrinsic {
            advice: advice(base, &kind),
            intrinsic: name,
            element: kind.element,
            function: function_around(operation),
            location: location(),
        }),
        false => Ok(()),
    }
}

/// The name of the function that holds the operation.
fn function_around(operation: OperationRef<'_, '_>) -> String {
    let mut parent = operation.parent_operation();
    while let Some(function) = parent {
        let is_function = llvm::LLVMFuncOp::cast(function).is_some()
            || gpu::GPUFuncOp::cast(function).is_some()
            || func::FuncOp::cast(function).is_some();
        if is_function {
            return symbol_name(function);
        }
        parent = function.parent_operation();
    }
    "?".to_owned()
}

/// Checks the intrinsics and calls of a finished LLVM module.
///
/// # Errors
/// As [`check_operations`], without locations; [`Error::UndefinedSymbol`] for a call to a function that neither the
/// module nor the CUDA driver defines.
pub fn check_module(module: &Module<'_>, target: Target) -> Result<(), Error> {
    for callee in module
        .get_functions()
        .filter(|function| function.count_basic_blocks() == 0)
    {
        let name = callee.get_name().to_string_lossy().into_owned();
        let users = users(callee);
        let Some(first) = users.first() else { continue };
        let Some(intrinsic) = name.strip_prefix("llvm.") else {
            if DRIVER_FUNCTIONS.contains(&name.as_str()) {
                continue;
            }
            return Err(Error::UndefinedSymbol {
                symbol: name,
                function: function_of(*first),
            });
        };
        if let Some(rest) = intrinsic.strip_prefix("nvvm.") {
            if let Some(needs) = needed_target(rest)
                && !target.has(needs)
            {
                let function = function_of(*first);
                return Err(Error::NeedsNewerTarget {
                    operation: name,
                    function,
                    location: None,
                    needs,
                    target,
                });
            }
            continue;
        }
        let (base, kind) = split_intrinsic(intrinsic);
        let Some(lacks) = lacking(base) else { continue };
        for user in users {
            let flags = user.get_fast_math_flags().unwrap_or(FastMathFlags::empty());
            let kind = Kind {
                approximate: flags.contains(FastMathFlags::ApproxFunc),
                ..kind.clone()
            };
            if lacks(&kind) {
                return Err(Error::UnsupportedIntrinsic {
                    advice: advice(base, &kind),
                    intrinsic: name,
                    element: kind.element,
                    function: function_of(user),
                    location: None,
                });
            }
        }
    }
    Ok(())
}

/// The instructions that use the function.
fn users(function: FunctionValue<'_>) -> Vec<InstructionValue<'_>> {
    let mut users = Vec::new();
    let mut next = function.as_global_value().as_pointer_value().get_first_use();
    while let Some(usage) = next {
        // A value of a first-class type comes as that, a call without result as an instruction.
        users.extend(match usage.get_user() {
            AnyValueEnum::InstructionValue(user) => Some(user),
            other => BasicValueEnum::try_from(other)
                .ok()
                .and_then(|value| value.as_instruction_value()),
        });
        next = usage.get_next_use();
    }
    users
}

/// The name of the function that holds the instruction.
fn function_of(instruction: InstructionValue<'_>) -> String {
    let function = instruction.get_parent().and_then(BasicBlock::get_parent);
    function.map_or_else(
        || "?".to_owned(),
        |function| function.get_name().to_string_lossy().into_owned(),
    )
}

/// The operand of an intrinsic, as far as selection depends on it.
#[derive(Clone, Debug)]
struct Kind {
    /// `f32`, `bf16`, ...
    element: String,
    vector: bool,
    /// Whether the call allows approximations (`afn`).
    approximate: bool,
}

/// `sin.v2f16` is (`sin`, a vector of f16). The type is the last component or, where an integer type follows it
/// (`powi.f32.i32`) or precedes it (`lrint.i64.f32`), the floating-point one.
fn split_intrinsic(name: &str) -> (&str, Kind) {
    let (base, types) = name.split_once('.').unwrap_or((name, ""));
    let ty = types.split('.').find(|ty| ty.contains('f')).unwrap_or(types);
    let vector = ty.starts_with('v');
    let element = if vector {
        ty.trim_start_matches('v')
            .trim_start_matches(|c: char| c.is_ascii_digit())
    } else {
        ty
    };
    (
        base,
        Kind {
            element: element.to_owned(),
            vector,
            approximate: false,
        },
    )
}

/// For which operands NVPTX lacks an instruction for LLVM's intrinsic `base`; `None`: it has one for all.
fn lacking(base: &str) -> Option<fn(&Kind) -> bool> {
    Some(match base {
        "acos" | "asin" | "atan" | "atan2" | "cosh" | "exp" | "exp10" | "llrint" | "llround" | "log" | "log10"
        | "log2" | "lrint" | "lround" | "modf" | "pow" | "powi" | "sincos" | "sincospi" | "sinh" | "tan" => |_| true,
        // ex2.approx has no f64 form.
        "exp2" => |kind| kind.element == "f64",
        // sin.approx, cos.approx and tanh.approx are only for those who ask for them.
        "cos" | "sin" | "tanh" => |kind| kind.element == "f64" || !kind.approximate,
        "canonicalize" => |kind| kind.element == "bf16" || (kind.vector && kind.element == "f16"),
        _ => return None,
    })
}

/// What to do instead of an intrinsic that is lacking.
fn advice(base: &str, kind: &Kind) -> String {
    match math::Function::by_name(base) {
        Some(function) if matches!(kind.element.as_str(), "f16" | "bf16") => {
            format!("extend to f32 and call {}", function.symbol(math::Width::F32))
        }
        Some(function) => {
            let width = if kind.element == "f64" {
                math::Width::F64
            } else {
                math::Width::F32
            };
            format!("call {}", function.symbol(width))
        }
        None => "lower it to operations that have one".to_owned(),
    }
}

/// The oldest target with an NVVM operation or intrinsic, whose name is given without `nvvm.`; `None` means all.
///
/// From the target notes of the PTX ISA. The longest matching prefix decides.
fn needed_target(name: &str) -> Option<Target> {
    use Target::{Sm75, Sm80, Sm89, Sm90, Sm90a};
    const RULES: [(&str, Target); 44] = [
        ("barrier.cluster", Sm90),
        ("cluster.", Sm90),
        ("cp.async.", Sm80),
        ("cp.async.bulk", Sm90),
        ("cp.reduce.async.bulk", Sm90),
        ("elect.sync", Sm90),
        ("ex2.approx.ftz.bf16", Sm90),
        ("fence.acquire.sync_restrict", Sm90),
        ("fence.mbarrier", Sm90),
        ("fence.proxy.async", Sm90),
        ("fence.proxy.tensormap", Sm90),
        ("fence.proxy.acquire", Sm90),
        ("fence.proxy.release", Sm90),
        ("fence.release.sync_restrict", Sm90),
        ("fence.sc.cluster", Sm90),
        ("fma.rn.bf16", Sm80),
        ("fma.rn.relu", Sm80),
        ("fmax.bf16", Sm80),
        ("fmax.f16", Sm80),
        ("fmin.bf16", Sm80),
        ("fmin.f16", Sm80),
        ("getctarank", Sm90),
        ("griddepcontrol", Sm90),
        ("is_explicit_cluster", Sm90),
        ("mapa", Sm90),
        ("mbarrier.", Sm80),
        ("mbarrier.arrive.expect_tx", Sm90),
        ("mbarrier.try_wait", Sm90),
        ("mma.m16n8k16", Sm80),
        ("mma.m16n8k32", Sm80),
        ("mma.m16n8k32.row.col.f32.e4m3", Sm89),
        ("mma.m16n8k32.row.col.f32.e5m2", Sm89),
        ("mma.m16n8k4", Sm80),
        ("mma.m16n8k64", Sm80),
        ("mma.m16n8k8.row.col.bf16", Sm80),
        ("mma.m16n8k8.row.col.f32.f32", Sm75),
        ("mma.m16n8k8.row.col.tf32", Sm80),
        ("mma.m8n8k4.row.col.f64", Sm80),
        ("prefetch.tensormap", Sm90),
        ("redux.sync", Sm80),
        ("setmaxn", Sm90a),
        ("setmaxregister", Sm90a),
        ("stmatrix", Sm90),
        ("wgmma.", Sm90a),
    ];
    let matching = RULES.iter().filter(|(prefix, _)| name.starts_with(prefix));
    matching
        .max_by_key(|(prefix, _)| prefix.len())
        .map(|(_, target)| *target)
}
