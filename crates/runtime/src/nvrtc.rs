//! CUDA C++ to machine code, by NVIDIA's run-time compiler.
//!
//! NVRTC is a part of the CUDA toolkit, not of the driver, and optional: everything but the CUDA C++ backend works
//! without it. It is found as the system finds libraries (`LD_LIBRARY_PATH`).

use std::ffi::{CString, c_char};
use std::path::PathBuf;
use std::ptr;

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};
use mytriton_abi::Code;

/// Why CUDA C++ was not compiled.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The library is not there.
    #[error(
        "NVRTC is not found: the CUDA C++ backend needs libnvrtc of CUDA 13 or 12 in the library path (LD_LIBRARY_PATH)"
    )]
    Missing,
    /// A text with a zero character, which C strings cannot have.
    #[error("the {0} has a zero character")]
    ZeroCharacter(&'static str),
    /// The target is none that this NVRTC knows.
    #[error("NVRTC does not know the target '{0}': it is written like sm_90a")]
    Target(String),
    /// The source has errors.
    #[error("NVRTC cannot compile kernel '{kernel}' for {target}:\n{log}")]
    Compile {
        /// The kernel's name.
        kernel: String,
        /// What it was compiled for.
        target: String,
        /// What the compiler wrote.
        log: String,
    },
    /// Any other error.
    #[error("NVRTC cannot {action}: {name}")]
    Nvrtc {
        /// What was tried.
        action: &'static str,
        /// The error's name in NVRTC's documentation.
        name: String,
    },
}

/// What to make of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Output {
    /// Machine code for the target alone.
    #[default]
    Cubin,
    /// PTX.
    Ptx,
}

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What for, such as `sm_90a`.
    pub target: String,
    /// Where headers are found (`cuda_fp16.h` for the types of 16 bits).
    pub include_dirs: Vec<PathBuf>,
    /// May `a * b + c` be fused, with one rounding?
    pub fmad: bool,
    /// What to make.
    pub output: Output,
}

/// Is the library there?
pub fn is_present() -> bool {
    // SAFETY: opens the library by its names, whose initialisers have no requirements on the caller.
    unsafe { sys::is_culib_present() }
}

/// Compiles a source. `name` is for messages.
///
/// # Errors
/// See [`Error`].
pub fn compile(source: &str, name: &str, options: &Options) -> Result<Code, Error> {
    let _span = tracing::debug_span!("nvrtc", kernel = name, target = %options.target).entered();
    let target = options.target.as_str();
    let Some(architecture) = target
        .strip_prefix("sm_")
        .filter(|a| a.starts_with(|c: char| c.is_ascii_digit()))
    else {
        return Err(Error::Target(target.to_owned()));
    };
    let c_string = |text: String, what| CString::new(text).map_err(|_| Error::ZeroCharacter(what));
    let source = c_string(source.to_owned(), "source")?;
    let file = c_string(format!("{name}.cu"), "name")?;
    let mut flags = vec![
        c_string(
            match options.output {
                Output::Cubin => format!("--gpu-architecture={target}"),
                Output::Ptx => format!("--gpu-architecture=compute_{architecture}"),
            },
            "target",
        )?,
        c_string(format!("--fmad={}", options.fmad), "option")?,
        c_string("--std=c++17".to_owned(), "option")?,
    ];
    for dir in &options.include_dirs {
        flags.push(c_string(
            format!("--include-path={}", dir.display()),
            "include directory",
        )?);
    }
    // Calls below would panic without the library.
    if !is_present() {
        return Err(Error::Missing);
    }
    let program = Program::new(&source, &file)?;
    let pointers: Vec<*const c_char> = flags.iter().map(|f| f.as_ptr()).collect();
    // SAFETY: the program was created and not destroyed; the options are an array of that many texts ending with zero.
    let compiled = unsafe { sys::nvrtcCompileProgram(program.0, pointers.len() as i32, pointers.as_ptr()) };
    match compiled {
        nvrtcResult::NVRTC_SUCCESS => {}
        nvrtcResult::NVRTC_ERROR_INVALID_OPTION => return Err(Error::Target(target.to_owned())),
        nvrtcResult::NVRTC_ERROR_COMPILATION => {
            let log = program.read("read the log", sys::nvrtcGetProgramLogSize, sys::nvrtcGetProgramLog)?;
            return Err(Error::Compile {
                kernel: name.to_owned(),
                target: target.to_owned(),
                log: text_of(log).trim().to_owned(),
            });
        }
        other => return Err(failed("compile", other)),
    }
    match options.output {
        Output::Cubin => {
            let code = program.read("read the machine code", sys::nvrtcGetCUBINSize, sys::nvrtcGetCUBIN)?;
            Ok(Code::Cubin(code))
        }
        Output::Ptx => {
            let code = program.read("read the PTX", sys::nvrtcGetPTXSize, sys::nvrtcGetPTX)?;
            Ok(Code::Ptx(text_of(code)))
        }
    }
}

/// A text up to its zero.
fn text_of(mut bytes: Vec<u8>) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn failed(action: &'static str, result: nvrtcResult) -> Error {
    Error::Nvrtc {
        action,
        name: format!("{result:?}"),
    }
}

/// A program of NVRTC, destroyed with the value.
struct Program(nvrtcProgram);

impl Program {
    fn new(source: &CString, file: &CString) -> Result<Program, Error> {
        let mut program = ptr::null_mut();
        // SAFETY: both texts end with zero, there are no headers, and the handle is written on success. NVRTC copies
        // the source.
        let created = unsafe {
            sys::nvrtcCreateProgram(
                &mut program,
                source.as_ptr(),
                file.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        match created {
            nvrtcResult::NVRTC_SUCCESS => Ok(Program(program)),
            other => Err(failed("start", other)),
        }
    }

    /// Reads one of the program's outputs, whose size is asked for first.
    fn read(
        &self,
        action: &'static str,
        size: unsafe fn(nvrtcProgram, *mut usize) -> nvrtcResult,
        read: unsafe fn(nvrtcProgram, *mut c_char) -> nvrtcResult,
    ) -> Result<Vec<u8>, Error> {
        let mut len = 0;
        // SAFETY: the program was created and not destroyed; the call writes one number.
        let sized = unsafe { size(self.0, &mut len) };
        if sized != nvrtcResult::NVRTC_SUCCESS {
            return Err(failed(action, sized));
        }
        let mut bytes = vec![0u8; len];
        // SAFETY: as above; the call writes exactly the number of bytes that it said.
        let done = unsafe { read(self.0, bytes.as_mut_ptr().cast()) };
        match done {
            nvrtcResult::NVRTC_SUCCESS => Ok(bytes),
            other => Err(failed(action, other)),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: created and not yet destroyed. A failure leaves nothing to do.
        let _ = unsafe { sys::nvrtcDestroyProgram(&mut self.0) };
    }
}
