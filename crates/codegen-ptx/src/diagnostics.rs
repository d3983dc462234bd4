//! Catches what MLIR and LLVM say while they work, so that it ends up in an [`Error`](crate::Error) and not on stderr.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef};
use melior::diagnostic::{Diagnostic, DiagnosticHandlerId, DiagnosticSeverity};
use mytriton_tile_sys::place_text;

/// Collects the errors that LLVM reports on one of its contexts. Without a handler LLVM prints an error and ends the
/// process.
///
/// The handler is removed when the value is dropped.
pub(crate) struct LlvmDiagnostics {
    context: LLVMContextRef,
    /// Boxed: LLVM keeps its address.
    messages: Box<Mutex<Vec<String>>>,
}

impl LlvmDiagnostics {
    /// Installs the handler. The context must outlive the value.
    pub(crate) fn install(context: LLVMContextRef) -> Self {
        let messages = Box::new(Mutex::new(Vec::new()));
        let data = std::ptr::from_ref::<Mutex<Vec<String>>>(&messages)
            .cast_mut()
            .cast::<c_void>();
        // SAFETY: `context` is live by this function's contract, and `data` points to a boxed value that stays where it
        // is until `drop` has removed the handler.
        unsafe { LLVMContextSetDiagnosticHandler(context, Some(collect), data) };
        Self { context, messages }
    }

    /// The errors so far, one per line; `None` if there are none.
    pub(crate) fn take_errors(&self) -> Option<String> {
        let messages = std::mem::take(&mut *lock(&self.messages));
        (!messages.is_empty()).then(|| messages.join("\n"))
    }
}

impl Drop for LlvmDiagnostics {
    fn drop(&mut self) {
        // SAFETY: the context outlives this value (contract of `install`).
        unsafe { LLVMContextSetDiagnosticHandler(self.context, None, std::ptr::null_mut()) };
    }
}

/// LLVM's callback: keeps errors, logs the rest.
extern "C" fn collect(info: LLVMDiagnosticInfoRef, data: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic; the description is a string that we own and free.
    let (severity, text) = unsafe {
        let description = LLVMGetDiagInfoDescription(info);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        (LLVMGetDiagInfoSeverity(info), text)
    };
    if !matches!(severity, LLVMDiagnosticSeverity::LLVMDSError) {
        tracing::debug!(target: "mytriton::llvm", "{text}");
        return;
    }
    // SAFETY: `data` is the mutex of the `LlvmDiagnostics` whose handler this is; it is alive while the handler is set.
    let messages = unsafe { &*data.cast::<Mutex<Vec<String>>>() };
    lock(messages).push(text);
}

/// Collects the errors that MLIR reports on this thread. The handler is detached when the value is dropped.
pub(crate) struct MlirDiagnostics<'c> {
    context: &'c melior::Context,
    id: Option<DiagnosticHandlerId>,
    messages: Arc<Mutex<Vec<String>>>,
}

impl<'c> MlirDiagnostics<'c> {
    /// Attaches the handler. Other threads that use the same context keep their own handlers' messages.
    pub(crate) fn attach(context: &'c melior::Context) -> Self {
        let messages = Arc::new(Mutex::new(Vec::new()));
        let (sink, thread) = (Arc::clone(&messages), thread::current().id());
        let id = context.attach_diagnostic_handler(move |diagnostic| {
            if thread::current().id() != thread || !matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                return false;
            }
            lock(&sink).push(render(&diagnostic));
            true
        });
        Self {
            context,
            id: Some(id),
            messages,
        }
    }

    /// The errors so far, one per line; empty if there are none.
    pub(crate) fn take_errors(&self) -> String {
        std::mem::take(&mut *lock(&self.messages)).join("\n")
    }
}

impl Drop for MlirDiagnostics<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.context.detach_diagnostic_handler(id);
        }
    }
}

/// `kernel.rs:3:7: message`, notes after it in brackets.
fn render(diagnostic: &Diagnostic<'_>) -> String {
    let place = place_text(diagnostic.location()).map_or_else(String::new, |place| format!("{place}: "));
    let mut text = format!("{place}{diagnostic}");
    for index in 0..diagnostic.note_count() {
        if let Ok(note) = diagnostic.note(index) {
            text.push_str(&format!(" [{}]", render(&note)));
        }
    }
    text
}

/// A panic elsewhere while the list was locked leaves it usable.
fn lock(messages: &Mutex<Vec<String>>) -> MutexGuard<'_, Vec<String>> {
    messages.lock().unwrap_or_else(PoisonError::into_inner)
}
