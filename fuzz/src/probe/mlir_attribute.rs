//! The tile dialect's attributes and types, among MLIR's own.

use std::cell::RefCell;

use melior::Context;
use melior::dialect::DialectRegistry;
use mytriton_tile_sys as sys;

thread_local! {
    /// A context keeps every attribute that it has seen, so that it is given up now and then.
    static CONTEXT: RefCell<(usize, Context)> = RefCell::new((0, context()));
}

fn context() -> Context {
    let registry = DialectRegistry::new();
    sys::register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    context.set_allow_unregistered_dialects(true);
    sys::dialect_handle().load_dialect(&context);
    context
}

/// Reads an attribute, a type, and a tensor's encoding. What is read is printed, and read again the same.
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    CONTEXT.with_borrow_mut(|(count, kept)| {
        *count += 1;
        if count.is_multiple_of(2048) {
            *kept = context();
        }
        for module in [
            format!("\"fuzz.op\"() {{a = {text}}} : () -> ()"),
            format!("\"fuzz.op\"() : () -> ({text})"),
            format!("\"fuzz.op\"() : () -> tensor<2x64xf32, {text}>"),
        ] {
            if let Some(printed) = printed(kept, &module) {
                let again = self::printed(kept, &printed);
                assert_eq!(again.as_ref(), Some(&printed), "of {module:?}");
            }
        }
    });
}

fn printed(context: &Context, text: &str) -> Option<String> {
    let (module, reports) = sys::collect_diagnostics(context, || sys::parse_module(context, text, "fuzz.mlir"));
    let Some(module) = module else {
        assert!(!reports.is_empty(), "a text is refused without a word");
        return None;
    };
    Some(module.as_operation().to_string())
}
