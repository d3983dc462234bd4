//! LLVM's target machines: the cost model and code generator of one target at one optimisation level.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::rc::Rc;
use std::sync::{Once, OnceLock};

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, TargetMachine, TargetTriple};

use crate::error::Error;
use crate::target::{OptLevel, Target};

/// The target triple of all our modules.
pub const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// Machines by target and level.
type Machines = HashMap<(Target, OptLevel), Rc<TargetMachine>>;

thread_local! {
    /// LLVM's machines may not be shared between threads.
    static MACHINES: RefCell<Machines> = RefCell::new(HashMap::new());
}

/// The machine of `target` at `level`, made on the thread's first use of it.
///
/// # Errors
/// [`Error::Setup`] if LLVM was built without its NVPTX backend.
pub fn machine(target: Target, level: OptLevel) -> Result<Rc<TargetMachine>, Error> {
    MACHINES.with_borrow_mut(|machines| match machines.get(&(target, level)) {
        Some(machine) => Ok(Rc::clone(machine)),
        None => {
            let machine = Rc::new(create(target, level)?);
            machines.insert((target, level), Rc::clone(&machine));
            Ok(machine)
        }
    })
}

/// The data layout of every NVPTX target, which modules must have before they are translated: it decides the natural
/// alignment of each load and store.
///
/// # Errors
/// As [`machine`].
pub fn data_layout() -> Result<&'static str, Error> {
    static LAYOUT: OnceLock<String> = OnceLock::new();
    if let Some(layout) = LAYOUT.get() {
        return Ok(layout);
    }
    let machine = machine(Target::Sm80, OptLevel::O3)?;
    let layout = machine
        .get_target_data()
        .get_data_layout()
        .as_str()
        .to_string_lossy()
        .into_owned();
    Ok(LAYOUT.get_or_init(|| layout))
}

fn create(target: Target, level: OptLevel) -> Result<TargetMachine, Error> {
    static INITIALISED: Once = Once::new();
    INITIALISED.call_once(|| {
        // Only this backend: all of LLVM's take milliseconds to initialise.
        inkwell::targets::Target::initialize_nvptx(&InitializationConfig::default());
        reuse_without_guard();
    });
    let triple = TargetTriple::create(TRIPLE);
    let backend =
        inkwell::targets::Target::from_triple(&triple).map_err(|message| Error::Setup(message.to_string()))?;
    backend
        .create_target_machine(
            &triple,
            target.name(),
            &target.ptx_isa().feature(),
            level.codegen(),
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| Error::Setup(format!("LLVM has no machine for {target}")))
}

/// Lets LLVM's `slsr` compute a sum from another without asking whether that one may be poison.
///
/// It asks for each pair of sums, so that 1024 addresses take seconds. The answer is known: a sum may be poison by its flags
/// alone (`nsw`, `nuw`), those of our modules state what has been shown, and [`link`](crate::math::link) takes them from the
/// library's. An option of LLVM's command line is the only way to say so; it is the process's.
fn reuse_without_guard() {
    let arguments = [c"mytriton", c"-enable-poison-reuse-guard=false"].map(CStr::as_ptr);
    // SAFETY: the arguments are static strings, two as is said; LLVM copies what it keeps. `Once` lets one thread in.
    unsafe { LLVMParseCommandLineOptions(2, arguments.as_ptr(), std::ptr::null()) }
}
