//! The GPUs that code is made for.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// A GPU architecture, ordered from old to new.
///
/// PTX made for one target runs on its own compute capability and every later one, except [`Target::Sm90a`], whose
/// architecture-specific instructions (wgmma, setmaxnreg) exist on compute capability 9.0 alone (PTX ISA, `.target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Turing.
    Sm75,
    /// Ampere, data centre: asynchronous copies, bf16, tf32.
    Sm80,
    /// Ampere, other.
    Sm86,
    /// Ada: fp8 conversions and mma.
    Sm89,
    /// Hopper without its architecture-specific instructions: clusters, TMA.
    Sm90,
    /// Hopper with wgmma and setmaxnreg.
    Sm90a,
    /// Blackwell, data centre.
    Sm100,
    /// Blackwell Ultra, data centre.
    Sm103,
    /// Blackwell, other.
    Sm120,
}

/// A version of the PTX instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxIsa {
    /// Major version.
    pub major: u8,
    /// Minor version.
    pub minor: u8,
}

/// How much work LLVM puts into the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptLevel {
    /// No optimisation: every value keeps its place in memory, for debugging.
    O0,
    /// Quick optimisations.
    O1,
    /// Without the costly ones.
    O2,
    /// Everything.
    #[default]
    O3,
}

impl Target {
    /// All targets, oldest first.
    pub const ALL: [Self; 9] = [
        Self::Sm75,
        Self::Sm80,
        Self::Sm86,
        Self::Sm89,
        Self::Sm90,
        Self::Sm90a,
        Self::Sm100,
        Self::Sm103,
        Self::Sm120,
    ];

    /// The name in PTX and in every tool: `sm_90a`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sm75 => "sm_75",
            Self::Sm80 => "sm_80",
            Self::Sm86 => "sm_86",
            Self::Sm89 => "sm_89",
            Self::Sm90 => "sm_90",
            Self::Sm90a => "sm_90a",
            Self::Sm100 => "sm_100",
            Self::Sm103 => "sm_103",
            Self::Sm120 => "sm_120",
        }
    }

    /// The compute capability, major and minor.
    pub const fn compute_capability(self) -> (u32, u32) {
        match self {
            Self::Sm75 => (7, 5),
            Self::Sm80 => (8, 0),
            Self::Sm86 => (8, 6),
            Self::Sm89 => (8, 9),
            Self::Sm90 | Self::Sm90a => (9, 0),
            Self::Sm100 => (10, 0),
            Self::Sm103 => (10, 3),
            Self::Sm120 => (12, 0),
        }
    }

    /// The most shared memory of a thread block, in bytes (CUDA C++ Programming Guide, "Compute Capabilities").
    pub const fn max_shared_bytes(self) -> u32 {
        let kib = match self {
            Self::Sm75 => 64,
            Self::Sm80 => 163,
            Self::Sm86 | Self::Sm89 | Self::Sm120 => 99,
            Self::Sm90 | Self::Sm90a | Self::Sm100 | Self::Sm103 => 227,
        };
        kib * 1024
    }

    /// The best target for a device of this compute capability.
    ///
    /// Devices newer than every target get the newest one, whose PTX the driver compiles for them.
    ///
    /// # Errors
    /// [`Error::UnknownTarget`] for devices older than 7.5.
    pub fn for_device(major: u32, minor: u32) -> Result<Self, Error> {
        match (major, minor) {
            (9, 0) => Ok(Self::Sm90a),
            capability => Self::ALL
                .into_iter()
                .rfind(|target| *target != Self::Sm90a && target.compute_capability() <= capability)
                .ok_or_else(|| Error::UnknownTarget {
                    name: format!("compute capability {major}.{minor}"),
                }),
        }
    }

    /// The PTX version that code for this target declares.
    ///
    /// It is the oldest one with every instruction that our lowerings use on that target, since a driver refuses PTX
    /// newer than itself: 7.4 (CUDA 11.4: cache eviction priorities and prefetch sizes on loads) up to sm_86, 8.4
    /// (CUDA 12.4: `mma` on fp8 operands; TMA and wgmma came with 8.0) from sm_89, and from sm_100 on the version that the
    /// target came with (PTX ISA, "Release Notes"). CUDA 13.0 reads all (its own is 9.0).
    pub const fn ptx_isa(self) -> PtxIsa {
        match self {
            Self::Sm75 | Self::Sm80 | Self::Sm86 => PtxIsa { major: 7, minor: 4 },
            Self::Sm89 | Self::Sm90 | Self::Sm90a => PtxIsa { major: 8, minor: 4 },
            Self::Sm100 => PtxIsa { major: 8, minor: 6 },
            Self::Sm103 => PtxIsa { major: 8, minor: 8 },
            Self::Sm120 => PtxIsa { major: 8, minor: 7 },
        }
    }

    /// Whether code for `self` may use what `needed` introduced. No later target has Hopper's own instructions.
    pub fn has(self, needed: Self) -> bool {
        match needed {
            Self::Sm90a => self == Self::Sm90a,
            _ => self >= needed,
        }
    }

    /// The names of all targets, for messages.
    pub(crate) fn list() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|target| target.name() == name);
        found.ok_or_else(|| Error::UnknownTarget { name: name.to_owned() })
    }
}

impl PtxIsa {
    /// LLVM's subtarget feature: `+ptx84`.
    pub(crate) fn feature(self) -> String {
        format!("+ptx{}{}", self.major, self.minor)
    }
}

impl fmt::Display for PtxIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl OptLevel {
    /// The code generator's level. Its highest one numbers values globally twice more, which finds nothing after the
    /// passes of [`OptLevel::O3`].
    pub(crate) const fn codegen(self) -> inkwell::OptimizationLevel {
        match self {
            Self::O0 => inkwell::OptimizationLevel::None,
            Self::O1 => inkwell::OptimizationLevel::Less,
            Self::O2 | Self::O3 => inkwell::OptimizationLevel::Default,
        }
    }
}
