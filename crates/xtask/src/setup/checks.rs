//! The virtual environment with the parts of the CUDA toolkit that the tests check generated code with.
//!
//! Only published wheels, pinned: their ptxas and NVRTC are those of CUDA 13.0, whose code a driver of that
//! version runs. Dependencies are not followed, since they would bring the rest of the toolkit.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Changes;
use crate::process;
use crate::project::Project;
use crate::toolkit::{self, Toolkit};

/// A wheel, its version, and what it is needed for.
struct Wheel {
    name: &'static str,
    version: &'static str,
    purpose: &'static str,
}

const WHEELS: &[Wheel] = &[
    Wheel {
        name: "nvidia-cuda-nvcc",
        version: "13.0.88",
        purpose: "ptxas, which assembles the generated PTX",
    },
    Wheel {
        name: "nvidia-cuda-nvrtc",
        version: "13.0.88",
        purpose: "NVRTC, which compiles the generated CUDA C++",
    },
    Wheel {
        name: "nvidia-cuda-runtime",
        version: "13.0.96",
        purpose: "headers that CUDA C++ includes (cuda_fp16.h)",
    },
];

impl Wheel {
    fn requirement(&self) -> String {
        format!("{}=={}", self.name, self.version)
    }

    /// Whether a package directory has exactly this version.
    fn is_in(&self, site_packages: &[PathBuf]) -> bool {
        let record = format!("{}-{}.dist-info/RECORD", self.name.replace('-', "_"), self.version);
        site_packages.iter().any(|site| site.join(&record).is_file())
    }
}

/// Makes `.venv` and installs the wheels that are missing, then tries them.
pub(super) fn install(project: &Project, changes: &Changes) -> Result<()> {
    let venv = project.path(".venv");
    let python = venv.join("bin/python");
    // A virtual environment breaks when the Python it was made with goes.
    let usable = process::succeeds(Command::new(&python).args(["-m", "pip", "--version"]));
    let sites = if usable {
        toolkit::site_packages(&venv)
    } else {
        Vec::new()
    };
    let missing: Vec<&Wheel> = WHEELS.iter().filter(|wheel| !wheel.is_in(&sites)).collect();
    if missing.is_empty() {
        println!("checks: ptxas and NVRTC are there (.venv)");
        return if changes.dry_run {
            Ok(())
        } else {
            try_out(&venv, &python)
        };
    }
    println!(
        "checks: {} of {} wheels are missing from .venv (about 380 MB):",
        missing.len(),
        WHEELS.len()
    );
    for wheel in &missing {
        println!("  {:<28} {}", wheel.requirement(), wheel.purpose);
    }
    if !usable {
        changes.run(Command::new(system_python()).args(["-m", "venv", "--clear"]).arg(&venv))?;
    }
    let mut pip = Command::new(&python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
    ]);
    pip.args(missing.iter().map(|wheel| wheel.requirement()));
    changes.run(&mut pip)?;
    if changes.dry_run {
        Ok(())
    } else {
        try_out(&venv, &python)
    }
}

/// Debian's own Python, which has venv from the package installed before; another that is first on the
/// search path might not.
fn system_python() -> &'static str {
    let debian = "/usr/bin/python3";
    if Path::new(debian).is_file() { debian } else { "python3" }
}

/// Loads NVRTC and asks its version, so that a damaged installation shows here and not in a test.
const NVRTC_VERSION: &str = "\
import ctypes, sys
major, minor = ctypes.c_int(), ctypes.c_int()
assert ctypes.CDLL(sys.argv[1]).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == 0
print(f'{major.value}.{minor.value}')
";

fn try_out(venv: &Path, python: &Path) -> Result<()> {
    let broken = || {
        format!(
            "the installation in {} is damaged; delete the directory and try again",
            venv.display()
        )
    };
    let toolkit = Toolkit::installed_in(venv).with_context(broken)?;
    let ptxas = toolkit.ptxas_version().with_context(broken)?;
    println!("  ptxas  {}\n         {ptxas}", toolkit.ptxas.display());
    let mut ask = Command::new(python);
    ask.args(["-c", NVRTC_VERSION]).arg(&toolkit.nvrtc);
    let nvrtc = process::capture(&mut ask).with_context(broken)?;
    println!(
        "  NVRTC  {}\n         version {}",
        toolkit.nvrtc.display(),
        nvrtc.trim()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pinned_version_counts_as_installed() {
        let scratch = std::env::temp_dir().join(format!("xtask-wheels-{}", std::process::id()));
        let wheel = Wheel {
            name: "some-wheel",
            version: "1.2.3",
            purpose: "",
        };
        let record = |version: &str| scratch.join(format!("some_wheel-{version}.dist-info"));
        std::fs::create_dir_all(record("1.2.4")).unwrap();
        std::fs::write(record("1.2.4").join("RECORD"), "").unwrap();
        let sites = [scratch.clone()];
        assert!(!wheel.is_in(&sites));
        std::fs::create_dir_all(record("1.2.3")).unwrap();
        assert!(
            !wheel.is_in(&sites),
            "a record is written last: without it the installation was cut short"
        );
        std::fs::write(record("1.2.3").join("RECORD"), "").unwrap();
        assert!(wheel.is_in(&sites));
        std::fs::remove_dir_all(scratch).unwrap();
    }
}
