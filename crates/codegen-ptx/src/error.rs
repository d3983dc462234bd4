//! Everything that can go wrong between the llvm dialect and PTX.

use crate::target::Target;

/// An error of this crate. Locations are `file:line:column`; an operation of unknown origin
/// has none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A target name or a device that this compiler does not know.
    #[error("unknown target '{name}'; known targets are {}", Target::list())]
    UnknownTarget {
        /// What was asked for: a name such as `sm_70`, or a device as `compute capability 7.0`.
        name: String,
    },

    /// A builtin module held several `gpu.module`s. Code is made for one at a time.
    #[error("the module holds {count} gpu.modules ({names}); compile them one at a time")]
    SeveralDeviceModules {
        /// How many there are.
        count: usize,
        /// Their symbol names.
        names: String,
    },

    /// An operation whose intrinsic the NVPTX backend cannot select for this type.
    #[error(
        "'{intrinsic}' has no PTX instruction for {element}, used by function '{function}'{}; {advice}",
        at(.location)
    )]
    UnsupportedIntrinsic {
        /// The MLIR operation (`llvm.intr.exp`) or LLVM intrinsic (`llvm.exp.f32`).
        intrinsic: String,
        /// The element type, as LLVM spells it in intrinsic names (`f32`).
        element: String,
        /// The function around it.
        function: String,
        /// Where it came from, if known.
        location: Option<String>,
        /// What to use instead.
        advice: String,
    },

    /// An operation that only newer GPUs have.
    #[error("'{operation}', used by function '{function}'{}, needs {needs}, and the target is {target}", at(.location))]
    NeedsNewerTarget {
        /// The MLIR operation or LLVM intrinsic.
        operation: String,
        /// The function around it.
        function: String,
        /// Where it came from, if known.
        location: Option<String>,
        /// The oldest target that has it.
        needs: Target,
        /// The target of this compilation.
        target: Target,
    },

    /// A call to a function that nothing defines.
    #[error("function '{function}' calls '{symbol}', which is not defined{}", hint(.symbol))]
    UndefinedSymbol {
        /// The callee.
        symbol: String,
        /// A caller.
        function: String,
    },

    /// A function of the mathematics library was declared with a type that it does not have.
    #[error("'{symbol}' is declared with another type than {expected}")]
    WrongSignature {
        /// The function.
        symbol: String,
        /// Its type: `f32 (f32, f32)`.
        expected: String,
    },

    /// MLIR could not translate the module. The text holds MLIR's own diagnostics with their locations.
    #[error("translation to LLVM IR failed: {0}")]
    Translation(String),

    /// LLVM's verifier refused the module: a bug in a lowering.
    #[error("invalid LLVM IR after {step}: {message}")]
    InvalidModule {
        /// The step that made it.
        step: &'static str,
        /// The verifier's message.
        message: String,
    },

    /// LLVM reported errors while it generated code.
    #[error("LLVM could not generate code: {0}")]
    Codegen(String),

    /// The PTX computes on narrow integers in a way that some versions of ptxas get wrong. A bug in the step that prevents it.
    #[error("the PTX has an instruction that ptxas 13.0 computes wrongly: {instruction}")]
    Narrow {
        /// The instruction.
        instruction: String,
    },

    /// An instruction that some versions of ptxas get wrong of uniform values stands where it cannot be replaced. A bug in the
    /// step that does.
    #[error("the PTX has an instruction that ptxas 13.0 gets wrong of uniform values: {instruction}")]
    Uniform {
        /// The line.
        instruction: String,
    },

    /// LLVM gave up in a way that would have ended the process. A bug in a lowering, or in the checks before it.
    #[error("LLVM failed fatally: {0}")]
    Fatal(String),

    /// LLVM would not give us what it normally has: its NVPTX target, a thread.
    #[error("cannot set up code generation: {0}")]
    Setup(String),
}

/// ` at LOCATION`, or nothing.
fn at(location: &Option<String>) -> String {
    location
        .as_ref()
        .map_or_else(String::new, |location| format!(" at {location}"))
}

/// What to do about a missing symbol.
fn hint(symbol: &str) -> String {
    if symbol.starts_with(crate::math::PREFIX) {
        format!(
            "; names that start with {} belong to the mathematics library",
            crate::math::PREFIX
        )
    } else if symbol.starts_with("__nv_") {
        "; it is a function of NVIDIA's libdevice, whose counterparts here are in math::Function".to_owned()
    } else {
        String::new()
    }
}
