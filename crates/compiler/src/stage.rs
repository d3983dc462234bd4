//! The stages of a kernel on its way, by the names that dumps, errors and the command line use.

use std::fmt;
use std::str::FromStr;

/// A stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Typed SSA.
    Ssa,
    /// The tile dialect without layouts.
    Tile,
    /// The tile dialect with layouts.
    Layout,
    /// One thread's program: gpu, vector, arith, math, scf, llvm.
    Gpu,
    /// The llvm and nvvm dialects.
    Llvm,
    /// PTX text.
    Ptx,
    /// CUDA C++ text.
    Cuda,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 7] = [
        Stage::Ssa,
        Stage::Tile,
        Stage::Layout,
        Stage::Gpu,
        Stage::Llvm,
        Stage::Ptx,
        Stage::Cuda,
    ];

    /// The stage's name.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Ssa => "ssa",
            Stage::Tile => "tile",
            Stage::Layout => "layout",
            Stage::Gpu => "gpu",
            Stage::Llvm => "llvm",
            Stage::Ptx => "ptx",
            Stage::Cuda => "cuda",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no stage's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown stage '{0}'; the stages are ssa, tile, layout, gpu, llvm, ptx and cuda")]
pub struct UnknownStage(String);

impl FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(name: &str) -> Result<Stage, UnknownStage> {
        Stage::ALL
            .into_iter()
            .find(|s| s.name() == name)
            .ok_or_else(|| UnknownStage(name.to_owned()))
    }
}
