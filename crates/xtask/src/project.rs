//! Where things are in the workspace, and the names that the tasks share with the crates they drive.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;

/// The package that holds the examples and the GPU tests.
pub const FACADE: &str = "mytriton";
/// The package of the command-line tools.
pub const CLI: &str = "mytriton-cli";
/// The example that `demo` runs.
const DEMO_EXAMPLE: &str = "quickstart";
/// The integration test of [`FACADE`] that needs a GPU.
pub const GPU_TEST: &str = "gpu";
/// The executable (or example) of [`FACADE`] that takes the measurements.
pub const GPU_BENCH: &str = "bench-gpu";

/// Prefix of Debian's LLVM 22, also written in `.cargo/config.toml`.
pub const LLVM_PREFIX: &str = "/usr/lib/llvm-22";
/// What the crates that link LLVM and MLIR read the prefix from.
pub const LLVM_PREFIX_VARIABLES: [&str; 3] = ["MLIR_SYS_220_PREFIX", "LLVM_SYS_221_PREFIX", "TABLEGEN_220_PREFIX"];

/// A checkout of the workspace.
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Finds the workspace this program was started from.
    ///
    /// # Errors
    /// The directory two levels above this crate is not a workspace.
    pub fn locate() -> Result<Self> {
        // Cargo sets the variable for `cargo run`; the compile-time value serves a directly started executable.
        let manifest_dir = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest_dir
            .ancestors()
            .nth(2)
            .filter(|root| root.join("Cargo.toml").is_file() && root.join("crates").is_dir())
            .with_context(|| format!("{} is not inside the workspace", manifest_dir.display()))?;
        Ok(Self { root: root.to_owned() })
    }

    /// Absolute path of the workspace's top directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Absolute path of something in the workspace.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// A Cargo command (the same Cargo that started this program) in the top directory.
    pub fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Facts about the workspace's own packages, as `cargo metadata` prints them.
    ///
    /// # Errors
    /// Cargo fails, as it does on a broken manifest, or prints something that is not JSON.
    pub fn metadata(&self) -> Result<Value> {
        let text = process::capture(&mut self.cargo(["metadata", "--format-version=1", "--no-deps"]))?;
        serde_json::from_str(&text).context("`cargo metadata` printed no JSON")
    }

    /// The directory that holds the executables of a profile (`debug` or `release`).
    ///
    /// # Errors
    /// As [`Project::metadata`].
    pub fn executables(&self, profile: &str) -> Result<PathBuf> {
        Ok(self.target_directory()?.join(profile))
    }

    /// Where Cargo puts what it builds.
    ///
    /// # Errors
    /// As [`Project::metadata`].
    pub fn target_directory(&self) -> Result<PathBuf> {
        let metadata = self.metadata()?;
        let target = metadata["target_directory"]
            .as_str()
            .context("`cargo metadata` names no target directory")?;
        Ok(PathBuf::from(target))
    }

    /// Top of the LLVM installation that the crates are built against.
    pub fn llvm_prefix(&self) -> PathBuf {
        let set = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
        LLVM_PREFIX_VARIABLES
            .iter()
            .find_map(set)
            .map_or_else(|| PathBuf::from(LLVM_PREFIX), PathBuf::from)
    }

    /// A program of that LLVM installation.
    ///
    /// # Errors
    /// It is not there.
    pub fn llvm_tool(&self, name: &str) -> Result<PathBuf> {
        let path = self.llvm_prefix().join("bin").join(name);
        if !path.is_file() {
            bail!(
                "{} is not there; `cargo xtask setup` installs it on Debian",
                path.display()
            );
        }
        Ok(path)
    }

    /// Builds and runs the quick-start example.
    ///
    /// # Errors
    /// It does not build, or ends with a failure.
    pub fn run_demo(&self) -> Result<()> {
        // The dev profile: the demo's time is the time of its build, and the tests build the same things.
        process::run(&mut self.cargo(["run", "--package", FACADE, "--example", DEMO_EXAMPLE]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locates_the_workspace() {
        let project = Project::locate().unwrap();
        assert!(project.path("crates/xtask/src/project.rs").is_file());
    }

    #[test]
    fn missing_tool_names_its_path_and_the_cure() {
        let error = Project::locate()
            .unwrap()
            .llvm_tool("no-such-tool")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("bin/no-such-tool") && error.contains("xtask setup"),
            "{error}"
        );
    }
}
