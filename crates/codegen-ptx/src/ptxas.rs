//! Runs NVIDIA's PTX assembler, to test that it accepts our code and what it makes of it.
//!
//! Nothing at run time needs it: the CUDA driver assembles PTX itself. `ptxas` comes with every CUDA toolkit, and
//! alone in the Python package `nvidia-cuda-nvcc`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use crate::target::Target;

/// An assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptxas {
    path: PathBuf,
}

/// What `ptxas -v` says about a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// One entry per kernel, in the assembler's order.
    pub kernels: Vec<KernelReport>,
    /// Its warnings.
    pub warnings: Vec<String>,
    /// Its version: `13.0.88`.
    pub version: String,
}

/// Resources of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelReport {
    /// The kernel's name.
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of static shared memory per block.
    pub shared_bytes: u32,
    /// Bytes of stack per thread.
    pub stack_bytes: u32,
    /// Bytes of registers spilled to the stack by stores.
    pub spill_store_bytes: u32,
    /// Bytes loaded back.
    pub spill_load_bytes: u32,
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no assembler.
    #[error(
        "no ptxas: set MYTRITON_PTXAS, or put one on the PATH, or install the Python package nvidia-cuda-nvcc into the \
         virtual environment .venv of the repository (`cargo xtask setup`)"
    )]
    NotFound,
    /// It would not run.
    #[error("cannot run {path}: {source}")]
    Run {
        /// The executable or file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It refused the code.
    #[error("ptxas refused the code for {target}:\n{messages}")]
    Rejected {
        /// The target.
        target: Target,
        /// Its messages.
        messages: String,
    },
}

impl Ptxas {
    /// Finds an assembler: the environment variable `MYTRITON_PTXAS`, else the directory `.venv` of the current
    /// directory or one above it, else the `PATH`.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn find() -> Result<Self, Error> {
        if let Some(path) = env::var_os("MYTRITON_PTXAS") {
            return Ok(Self { path: path.into() });
        }
        let start = env::current_dir().unwrap_or_default();
        let in_venv = start
            .ancestors()
            .find_map(|directory| in_virtual_environment(&directory.join(".venv")));
        let on_path = || {
            let directories = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&directories)
                .map(|directory| directory.join("ptxas"))
                .find(|path| path.is_file())
        };
        in_venv
            .or_else(on_path)
            .map(|path| Self { path })
            .ok_or(Error::NotFound)
    }

    /// As [`Ptxas::find`], for tests, which may go without: where there is none it says on stderr that a test was
    /// skipped and returns `None`.
    ///
    /// # Panics
    /// Where there is none although the environment has `CI` or `MYTRITON_REQUIRE_TOOLS`.
    pub fn find_for_tests() -> Option<Self> {
        match Self::find() {
            Ok(found) => Some(found),
            Err(error)
                if ["CI", "MYTRITON_REQUIRE_TOOLS"]
                    .iter()
                    .any(|name| env::var_os(name).is_some()) =>
            {
                panic!("{error}")
            }
            Err(error) => {
                eprintln!("skipped: {error}");
                None
            }
        }
    }

    /// The executable.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The assembler's version, such as `13.0.88`; empty if it does not tell.
    ///
    /// # Errors
    /// [`Error::Run`].
    pub fn version(&self) -> Result<String, Error> {
        let output = self.output(Command::new(&self.path).arg("--version"))?;
        Ok(parse_version(&output.0))
    }

    /// Assembles `ptx` for `target` and throws the code away.
    ///
    /// # Errors
    /// [`Error::Rejected`] with its messages, or [`Error::Run`].
    pub fn check(&self, ptx: &str, target: Target) -> Result<Report, Error> {
        let mut command = Command::new(&self.path);
        command
            .arg("-v")
            .arg(format!("-arch={target}"))
            .args(["-o", "/dev/null", "-"]);
        let (messages, success) = self.output_with_input(&mut command, ptx)?;
        if !success {
            return Err(Error::Rejected { target, messages });
        }
        let mut report = parse_report(&messages);
        report.version = self.version()?;
        Ok(report)
    }

    fn output(&self, command: &mut Command) -> Result<(String, bool), Error> {
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|source| self.failed(source))?;
        Ok((text_of(&output), output.status.success()))
    }

    fn output_with_input(&self, command: &mut Command, input: &str) -> Result<(String, bool), Error> {
        use io::Write;
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| self.failed(source))?;
        if let Some(mut stdin) = child.stdin.take() {
            // It reads everything before it writes, so that this cannot block; if it dies early its message matters.
            let _ = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output().map_err(|source| self.failed(source))?;
        Ok((text_of(&output), output.status.success()))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Run {
            path: self.path.clone(),
            source,
        }
    }
}

fn text_of(output: &std::process::Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The assembler of the Python package, in its current place or that of CUDA 12's packages.
fn in_virtual_environment(venv: &Path) -> Option<PathBuf> {
    let pythons = fs::read_dir(venv.join("lib")).ok()?;
    let packages = pythons
        .filter_map(Result::ok)
        .map(|python| python.path().join("site-packages/nvidia"));
    packages
        .flat_map(|nvidia| ["cu13/bin/ptxas", "cuda_nvcc/bin/ptxas"].map(|tail| nvidia.join(tail)))
        .find(|path| path.is_file())
}

/// `13.0.88` of `Cuda compilation tools, release 13.0, V13.0.88`.
pub fn parse_version(text: &str) -> String {
    let version = text
        .split_whitespace()
        .find_map(|word| word.strip_prefix('V').filter(|rest| is_version(rest)));
    version.unwrap_or_default().to_owned()
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Reads the messages of `ptxas -v`; the version is left empty.
pub fn parse_report(messages: &str) -> Report {
    let mut report = Report::default();
    for line in messages.lines() {
        if line.contains("warning") {
            report.warnings.push(line.trim().to_owned());
        }
        // ptxas info    : Compiling entry function 'add' for 'sm_90a'
        if line.contains("Compiling entry function") {
            let name = line.split('\'').nth(1).unwrap_or_default().to_owned();
            report.kernels.push(KernelReport {
                name,
                ..KernelReport::default()
            });
        }
        let Some(kernel) = report.kernels.last_mut() else {
            continue;
        };
        // `0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads` and
        // `ptxas info    : Used 12 registers, used 1 barriers, 128 bytes smem`
        let number = |unit: &str| number_before(line, unit);
        for (unit, field) in [
            (" registers", &mut kernel.registers),
            (" bytes smem", &mut kernel.shared_bytes),
            (" bytes stack frame", &mut kernel.stack_bytes),
            (" bytes spill stores", &mut kernel.spill_store_bytes),
            (" bytes spill loads", &mut kernel.spill_load_bytes),
        ] {
            // Functions that were not inlined have lines of their own: the largest counts.
            *field = number(unit).unwrap_or(0).max(*field);
        }
    }
    report
}

/// The number that stands right before `unit`.
fn number_before(line: &str, unit: &str) -> Option<u32> {
    let before = &line[..line.find(unit)?];
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    before[before.len() - digits..].parse().ok()
}
