//! The parts of NVIDIA's CUDA toolkit that the tests check generated code with: ptxas, and NVRTC with its
//! headers. `setup` puts them in `.venv`; variables set by the user come first, so another version can be tried.
//!
//! | variable | meaning |
//! |---|---|
//! | `MYTRITON_PTXAS` | the ptxas executable |
//! | `MYTRITON_NVRTC_LIB` | the NVRTC library file; its directory also goes on `LD_LIBRARY_PATH`, as NVRTC looks for its builtins library by name alone |
//! | `MYTRITON_CUDA_INCLUDE` | the directory of `cuda_fp16.h` |
//! | `MYTRITON_REQUIRE_TOOLS` | set to `1`: a test that misses one of these fails instead of passing over |

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::project::Project;

const PTXAS_VARIABLE: &str = "MYTRITON_PTXAS";
const NVRTC_VARIABLE: &str = "MYTRITON_NVRTC_LIB";
const INCLUDE_VARIABLE: &str = "MYTRITON_CUDA_INCLUDE";
const REQUIRE_VARIABLE: &str = "MYTRITON_REQUIRE_TOOLS";
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// Where the parts of the toolkit are.
#[derive(Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// The ptxas executable.
    pub ptxas: PathBuf,
    /// The NVRTC library file.
    pub nvrtc: PathBuf,
    /// The directory of the device headers.
    pub include: PathBuf,
}

impl Toolkit {
    /// Finds the toolkit: the user's variables first, then `.venv`.
    ///
    /// # Errors
    /// A part is neither named by its variable nor in `.venv`, or what the variable names is not there.
    pub fn find(project: &Project) -> Result<Self> {
        Self::find_in(&site_packages(&project.path(".venv")), |name| std::env::var_os(name))
    }

    fn find_in(site_packages: &[PathBuf], variable: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let part = |name: &str, relative: &str| {
            if let Some(set) = variable(name).filter(|value| !value.is_empty()) {
                let path = PathBuf::from(set);
                if !path.exists() {
                    bail!("{name} names {}, which is not there", path.display());
                }
                return Ok(path);
            }
            let installed = site_packages.iter().map(|site| site.join("nvidia/cu13").join(relative));
            installed.into_iter().find(|path| path.exists()).with_context(|| {
                format!("no {relative} in .venv, and {name} is not set; `cargo xtask setup` installs it")
            })
        };
        Ok(Self {
            ptxas: part(PTXAS_VARIABLE, "bin/ptxas")?,
            nvrtc: part(NVRTC_VARIABLE, "lib/libnvrtc.so.13")?,
            include: part(INCLUDE_VARIABLE, "include")?,
        })
    }

    /// The toolkit installed in a virtual environment, whatever the user's variables say.
    ///
    /// # Errors
    /// A part is missing.
    pub fn installed_in(venv: &Path) -> Result<Self> {
        Self::find_in(&site_packages(venv), |_| None)
    }

    /// The variables that tests read, with their values.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut libraries = self
            .nvrtc
            .parent()
            .map(|dir| dir.as_os_str().to_owned())
            .unwrap_or_default();
        if let Some(more) = std::env::var_os(LIBRARY_PATH).filter(|value| !value.is_empty()) {
            libraries.push(":");
            libraries.push(more);
        }
        vec![
            (REQUIRE_VARIABLE, "1".into()),
            (PTXAS_VARIABLE, self.ptxas.clone().into()),
            (NVRTC_VARIABLE, self.nvrtc.clone().into()),
            (INCLUDE_VARIABLE, self.include.clone().into()),
            (LIBRARY_PATH, libraries),
        ]
    }

    /// The line that tells the version among what ptxas says of itself.
    ///
    /// # Errors
    /// ptxas does not run.
    pub fn ptxas_version(&self) -> Result<String> {
        let text = process::capture(Command::new(&self.ptxas).arg("--version"))?;
        let line = text.lines().find(|line| line.contains("release"));
        line.map(str::to_owned)
            .with_context(|| format!("{} does not tell its version", self.ptxas.display()))
    }
}

/// The package directories of a virtual environment: one for each Python that it was used with.
pub fn site_packages(venv: &Path) -> Vec<PathBuf> {
    let Ok(entries) = venv.join("lib").read_dir() else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path().join("site-packages"))
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// Prints the test environment as assignments that a shell can read.
///
/// # Errors
/// The toolkit is not found.
pub fn print_environment(project: &Project) -> Result<()> {
    for (name, value) in Toolkit::find(project)?.environment() {
        println!("export {name}={}", process::quote(&value.to_string_lossy()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_win_and_must_name_something() {
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let all_here = Toolkit::find_in(&[], |_| Some(here.clone().into())).unwrap();
        assert_eq!(
            all_here,
            Toolkit {
                ptxas: here.clone(),
                nvrtc: here.clone(),
                include: here.clone()
            }
        );

        let error = Toolkit::find_in(&[], |_| Some("nowhere/ptxas".into()))
            .unwrap_err()
            .to_string();
        assert_eq!(error, "MYTRITON_PTXAS names nowhere/ptxas, which is not there");
    }

    #[test]
    fn missing_part_says_how_to_get_it() {
        let error = Toolkit::find_in(&[], |_| None).unwrap_err().to_string();
        assert!(error.contains("bin/ptxas") && error.contains("xtask setup"), "{error}");
    }

    #[test]
    fn library_directory_comes_first_on_the_library_path() {
        let toolkit = Toolkit {
            ptxas: "p".into(),
            nvrtc: "cuda/lib/libnvrtc.so.13".into(),
            include: "i".into(),
        };
        let environment = toolkit.environment();
        let (_, value) = environment.iter().find(|(name, _)| *name == LIBRARY_PATH).unwrap();
        assert!(value.to_string_lossy().starts_with("cuda/lib"));
    }
}
