//! The pass pipelines between the MLIR stages, as text: what `mytriton-opt --pass-pipeline` takes.

use crate::stage::Stage;

/// From the `tile` stage to the `layout` stage.
pub const LAYOUT: &str = "builtin.module(tile-assign-layouts,tile-insert-barriers)";

/// From the `layout` stage to the `gpu` stage.
pub const GPU: &str = "builtin.module(convert-tile-to-gpu,gpu.module(canonicalize,cse))";

/// From the `gpu` stage to the `llvm` stage.
pub const LLVM: &str = "builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm),convert-vector-to-llvm,\
    convert-math-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)";

/// The pipeline that leads to an MLIR stage from the one before it; none for stages that no pipeline leads to.
pub fn leading_to(stage: Stage) -> Option<&'static str> {
    match stage {
        Stage::Layout => Some(LAYOUT),
        Stage::Gpu => Some(GPU),
        Stage::Llvm => Some(LLVM),
        Stage::Ssa | Stage::Tile | Stage::Ptx | Stage::Cuda => None,
    }
}
