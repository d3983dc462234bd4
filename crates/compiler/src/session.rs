//! What compiling one kernel leaves to the next: an MLIR context with its dialects, and the pipelines in it.
//!
//! Loading the dialects, parsing pipelines and collecting the patterns of their passes takes as long as lowering a small
//! kernel does. Each thread keeps one session for its next kernel, as it keeps LLVM's target machines.

use std::cell::RefCell;
use std::rc::Rc;

use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use melior::{Context, Error};

use crate::context::new_context;

/// Kernels that a session is used for: types, attributes and locations stay in a context as long as it lives.
const KERNELS: u32 = 256;

thread_local! {
    /// The session that this thread used last.
    static IDLE: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// A context and the pipelines that have been run in it.
pub(crate) struct Session {
    /// By their text. They refer to the context, and are dropped before it, in the order of the fields.
    pipelines: RefCell<Vec<(String, Rc<PassManager<'static>>)>>,
    context: Context,
    kernels: u32,
}

impl Session {
    fn new() -> Session {
        Session {
            pipelines: RefCell::default(),
            context: new_context(),
            kernels: 0,
        }
    }

    /// The context.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Calls `f` with the pipeline of a text.
    ///
    /// # Errors
    /// The text is not understood.
    pub(crate) fn with_pipeline<R>(&self, text: &str, f: impl FnOnce(&PassManager<'_>) -> R) -> Result<R, Error> {
        let known = self
            .pipelines
            .borrow()
            .iter()
            .find_map(|(of, manager)| (of == text).then(|| Rc::clone(manager)));
        let manager = match known {
            Some(manager) => manager,
            None => {
                let manager = PassManager::new(&self.context);
                // What users run is verified once, at its end.
                manager.enable_verifier(cfg!(debug_assertions));
                parse_pass_pipeline(manager.as_operation_pass_manager(), text)?;
                let manager = Rc::new(manager);
                self.pipelines.borrow_mut().push((text.to_owned(), Rc::clone(&manager)));
                manager
            }
        };
        Ok(f(&manager))
    }
}

/// Calls `f` with this thread's session, a new one if there is none. One in which something has failed is not used again.
pub(crate) fn with_session<T, E>(f: impl FnOnce(&Session) -> Result<T, E>) -> Result<T, E> {
    let mut session = IDLE.take().unwrap_or_else(Session::new);
    let result = f(&session)?;
    session.kernels += 1;
    if session.kernels < KERNELS {
        IDLE.set(Some(session));
    }
    Ok(result)
}
