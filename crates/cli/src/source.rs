//! Kernels from files.

use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mytriton::abi::{CompiledKernel, ParamInfo};
use mytriton_compiler::{GpuKernel, is_gpu_stage, read_gpu, read_mlir};
use mytriton_ssa::Kernel;

use crate::error::Error;

/// A file with kernels, and which of them is meant.
#[derive(Args)]
pub struct Source {
    /// The kernel: a .mlir file (tile dialect without layouts; check also takes the gpu stage), a .ssa file (typed SSA text), a compiled kernel, or - for standard input
    file: PathBuf,
    /// What FILE is, where its name does not say so
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The kernel's name, where FILE has several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
}

/// A form of kernels as text.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// MLIR: functions with the attribute tile.kernel
    Mlir,
    /// Typed SSA
    Ssa,
}

impl Source {
    /// What the file is called in messages.
    pub fn name(&self) -> String {
        if self.is_stdin() {
            "<stdin>".to_owned()
        } else {
            self.file.display().to_string()
        }
    }

    fn is_stdin(&self) -> bool {
        self.file == Path::new("-")
    }

    /// Reads and verifies the kernels that are meant: the named one, or else all.
    pub fn read(&self) -> Result<File, Error> {
        match self.load()? {
            Input::Source(file) => Ok(file),
            Input::Gpu(file) => Err(file.is_gpu_stage()),
            Input::Compiled(_) => Err(Error::new(format!("{} is a compiled kernel already", self.name()))),
        }
    }

    /// The same, or a kernel that was compiled before.
    pub fn load(&self) -> Result<Input, Error> {
        let name = self.name();
        let bytes = self.bytes().map_err(|e| Error::io("read", &name, e))?;
        if self.format.is_none() && bytes.starts_with(COMPILED) {
            let kernel = CompiledKernel::from_bytes(&bytes);
            return kernel
                .map(Input::Compiled)
                .map_err(|e| Error::new(format!("{name}: {e}")));
        }
        self.parse(name, bytes)
    }

    fn parse(&self, name: String, bytes: Vec<u8>) -> Result<Input, Error> {
        let format = self.format.or_else(|| format_of(&self.file)).ok_or_else(|| {
            Error::usage(format!("{name} is neither .mlir nor .ssa"))
                .help("say what it is with --format mlir or --format ssa")
        })?;
        let text = String::from_utf8(bytes).map_err(|e| {
            Error::new(format!(
                "{name} is not text: byte {} is no UTF-8",
                e.utf8_error().valid_up_to()
            ))
        })?;
        let module = match format {
            Format::Ssa => mytriton_ssa::parse_module(&text, &name).map_err(|e| Error::ssa(&e, &text))?,
            Format::Mlir => {
                if is_gpu_stage(&text) {
                    let kernels = read_gpu(&text, &name).map_err(|e| Error::in_source(&e, &name, &text))?;
                    let kernels = self.choose(&name, kernels, "a kernel is a gpu.func with the attribute kernel")?;
                    return Ok(Input::Gpu(File { name, text, kernels }));
                }
                read_mlir(&text, &name).map_err(|e| Error::in_source(&e, &name, &text))?
            }
        };
        let help = match format {
            Format::Mlir => "a kernel is a func.func with the attribute tile.kernel",
            Format::Ssa => "a kernel is kernel @name(...) { ... }",
        };
        let kernels = self.choose(&name, module.kernels, help)?;
        Ok(Input::Source(File { name, text, kernels }))
    }

    /// The kernels of a file that are meant; `help` says what a kernel looks like.
    fn choose<K: Named>(&self, name: &str, mut kernels: Vec<K>, help: &str) -> Result<Vec<K>, Error> {
        if kernels.is_empty() {
            return Err(Error::new(format!("{name} holds no kernel")).help(help));
        }
        if let Some(wanted) = &self.kernel {
            let names: Vec<&str> = kernels.iter().map(Named::name).collect();
            let message = format!("{name} holds no kernel '{wanted}', but: {}", names.join(", "));
            kernels.retain(|kernel| kernel.name() == wanted);
            if kernels.is_empty() {
                return Err(Error::new(message));
            }
        }
        Ok(kernels)
    }

    fn bytes(&self) -> std::io::Result<Vec<u8>> {
        if !self.is_stdin() {
            return std::fs::read(&self.file);
        }
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// What files of compiled kernels begin with.
const COMPILED: &[u8] = b"MYTRITON";

/// What can be run.
pub enum Input {
    /// Kernels to be compiled or interpreted.
    Source(File),
    /// Kernels in the `gpu` stage.
    Gpu(File<GpuKernel>),
    /// A kernel that is compiled already.
    Compiled(CompiledKernel),
}

impl Input {
    /// The kernel's name and parameters.
    pub fn signature(&self) -> Result<(&str, Vec<ParamInfo>), Error> {
        match self {
            Input::Source(file) => file
                .kernel()
                .map(|kernel| (kernel.name.as_str(), mytriton::abi::params_of(kernel))),
            Input::Gpu(file) => Err(file.is_gpu_stage()),
            Input::Compiled(kernel) => Ok((&kernel.name, kernel.params.clone())),
        }
    }

    /// An error of its kernel, which may begin with a place in its source.
    pub fn error(&self, error: &dyn Display) -> Error {
        match self {
            Input::Source(file) => file.error(error),
            Input::Gpu(file) => file.error(error),
            Input::Compiled(_) => Error::new(error.to_string()),
        }
    }
}

/// A file that was read.
pub struct File<K = Kernel> {
    /// Its name, for messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The kernels that are meant, at least one.
    pub kernels: Vec<K>,
}

/// Kernels of files.
pub trait Named {
    /// The kernel's name.
    fn name(&self) -> &str;
}

impl Named for Kernel {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for GpuKernel {
    fn name(&self) -> &str {
        &self.program.name
    }
}

impl<K: Named> File<K> {
    /// The one kernel that is meant.
    pub fn kernel(&self) -> Result<&K, Error> {
        match &self.kernels[..] {
            [kernel] => Ok(kernel),
            several => {
                let names: Vec<&str> = several.iter().map(Named::name).collect();
                let message = format!("{} holds several kernels: {}", self.name, names.join(", "));
                Err(Error::new(message).help("choose one with --kernel NAME"))
            }
        }
    }

    /// An error of a kernel of this file, which may begin with a place in it.
    pub fn error(&self, error: &dyn Display) -> Error {
        Error::in_source(&error.to_string(), &self.name, &self.text)
    }
}

impl File<GpuKernel> {
    /// That nothing else is done with such kernels.
    pub fn is_gpu_stage(&self) -> Error {
        Error::new(format!("{} is in the gpu stage", self.name))
            .help("mytriton check runs kernels of the gpu stage, mytriton-opt compiles them further")
    }
}

fn format_of(file: &Path) -> Option<Format> {
    match file.extension()?.to_str()? {
        "mlir" => Some(Format::Mlir),
        "ssa" => Some(Format::Ssa),
        _ => None,
    }
}
