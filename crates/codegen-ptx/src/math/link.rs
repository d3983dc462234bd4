//! Adds the library's bodies to a module.

use inkwell::context::{AsContextRef, ContextRef};
use inkwell::llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use inkwell::llvm_sys::core::{LLVMCreateMemoryBufferWithMemoryRange, LLVMSetNSW, LLVMSetNUW};
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode};

use super::{Function, Operands, PREFIX, Width};
use crate::diagnostics::LlvmDiagnostics;
use crate::error::Error;

/// The library: LLVM bitcode in which every function has the linkage `linkonce_odr`.
static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/math.bc"));

/// The whole library as a module of its own, for tests and tools; its functions have all been read.
///
/// # Errors
/// [`Error::InvalidModule`] if LLVM cannot read its own bitcode: another version of LLVM built the library.
pub fn library(context: &inkwell::context::Context) -> Result<Module<'_>, Error> {
    let buffer = inkwell::memory_buffer::MemoryBuffer::create_from_memory_range_copy(LIBRARY, "math");
    Module::parse_bitcode_from_buffer(&buffer, context).map_err(|message| unreadable(&message.to_string()))
}

/// Gives every declared library function that the module uses its body, and returns whether there was any.
///
/// Only those bodies are read: the library is loaded lazily, and the linker takes nothing that is not asked for. What
/// arrives is internal to the module, so that it disappears once inlined.
///
/// # Errors
/// [`Error::WrongSignature`] for a declaration with another type; [`Error::InvalidModule`] if linking fails.
pub fn link(module: &Module<'_>) -> Result<bool, Error> {
    let mut wanted = false;
    for function in module
        .get_functions()
        .filter(|function| function.count_basic_blocks() == 0)
    {
        // Names that the library does not have are left for the check of undefined symbols.
        if let Some((entry, width)) = Function::by_symbol(&function.get_name().to_string_lossy()) {
            check_signature(function, entry, width)?;
            wanted = true;
        }
    }
    if !wanted {
        return Ok(false);
    }
    let context = module.get_context();
    let diagnostics = LlvmDiagnostics::install(context.as_ctx_ref());
    let source = lazy_library(context)?;
    // SAFETY: both modules are live and of one context. The call consumes `source`, whatever it returns.
    let failed = unsafe { LLVMLinkModules2(module.as_mut_ptr(), source) } != 0;
    if let Some(message) = diagnostics.take_errors() {
        return Err(Error::InvalidModule {
            step: "linking the mathematics library",
            message,
        });
    }
    if failed {
        let message = "LLVM gave no reason".to_owned();
        return Err(Error::InvalidModule {
            step: "linking the mathematics library",
            message,
        });
    }
    for function in module.get_functions().filter(is_library) {
        if function.count_basic_blocks() > 0 {
            function.set_linkage(Linkage::Internal);
            allow_overflow(function);
        }
    }
    Ok(true)
}

/// Takes the flags from a function that make poison of an overflow. In C it is undefined; a kernel computes functions of what
/// its mask leaves out, too, and code generation is told that no sum is poison (see [`machine`](crate::machine)).
fn allow_overflow(function: FunctionValue<'_>) {
    use InstructionOpcode::{Add, Mul, Shl, Sub};
    for block in function.get_basic_blocks() {
        for instruction in block.get_instructions() {
            if matches!(instruction.get_opcode(), Add | Mul | Shl | Sub) {
                let value = instruction.as_value_ref();
                // SAFETY: the instruction is live, and of those that may have the flags.
                unsafe {
                    LLVMSetNSW(value, 0);
                    LLVMSetNUW(value, 0);
                }
            }
        }
    }
}

/// LLVM links whatever has the name: a wrong type would go unnoticed until the kernel computes nonsense.
fn check_signature(function: FunctionValue<'_>, entry: Function, width: Width) -> Result<(), Error> {
    let context = function.get_type().get_context();
    let float = match width {
        Width::F32 => context.f32_type(),
        Width::F64 => context.f64_type(),
    };
    let parameters: &[BasicMetadataTypeEnum<'_>] = match entry.operands() {
        Operands::Unary => &[float.into()],
        Operands::Binary => &[float.into(), float.into()],
        Operands::UnaryInt => &[float.into(), context.i32_type().into()],
    };
    if function.get_type() == float.fn_type(parameters, false) {
        return Ok(());
    }
    let (symbol, name) = (entry.symbol(width).to_owned(), width.name());
    Err(Error::WrongSignature {
        symbol,
        expected: match entry.operands() {
            Operands::Unary => format!("{name} ({name})"),
            Operands::Binary => format!("{name} ({name}, {name})"),
            Operands::UnaryInt => format!("{name} ({name}, i32)"),
        },
    })
}

fn is_library(function: &FunctionValue<'_>) -> bool {
    function.get_name().to_bytes().starts_with(PREFIX.as_bytes())
}

/// The library with its functions unread. To be consumed by the linker.
fn lazy_library(context: ContextRef<'_>) -> Result<inkwell::llvm_sys::prelude::LLVMModuleRef, Error> {
    let mut module = std::ptr::null_mut();
    // SAFETY: the bytes are static, so that the buffer, which does not copy them, and the lazy module, which takes the
    // buffer over, can refer to them for ever. Bitcode needs no terminating NUL.
    let failed = unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRange(LIBRARY.as_ptr().cast(), LIBRARY.len(), c"math".as_ptr(), 0);
        LLVMGetBitcodeModuleInContext2(context.as_ctx_ref(), buffer, &raw mut module)
    };
    if failed != 0 || module.is_null() {
        Err(unreadable("it cannot be parsed"))
    } else {
        Ok(module)
    }
}

fn unreadable(message: &str) -> Error {
    Error::InvalidModule {
        step: "reading the mathematics library",
        message: message.to_owned(),
    }
}
