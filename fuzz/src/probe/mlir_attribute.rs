//! The tile dialect's attributes and types, among MLIR's own.

use std::cell::RefCell;

use melior::Context;
use melior::dialect::DialectRegistry;
use mytriton_tile_sys as sys;

/// Two contexts: one that takes unknown dialects' attributes as opaque text, one that refuses them, as the compiler does.
struct Contexts {
    open: Context,
    strict: Context,
}

impl Contexts {
    fn new() -> Self {
        let context = |open| {
            let registry = DialectRegistry::new();
            sys::register_all_dialects(&registry);
            let context = Context::new_with_registry(&registry, false);
            context.set_allow_unregistered_dialects(open);
            sys::dialect_handle().load_dialect(&context);
            context
        };
        Contexts {
            open: context(true),
            strict: context(false),
        }
    }
}

thread_local! {
    /// A context keeps every attribute that it has seen, so that it is given up now and then.
    static CONTEXTS: RefCell<(usize, Contexts)> = RefCell::new((0, Contexts::new()));
}

/// Reads an attribute, a type, and a tensor's encoding. What is read is printed; what is printed has an answer too, and
/// is read the same [where it has to be](keeps).
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    CONTEXTS.with_borrow_mut(|(count, contexts)| {
        *count += 1;
        if count.is_multiple_of(2048) {
            *contexts = Contexts::new();
        }
        for module in [
            format!("\"{OP}\"() {{a = {text}}} : () -> ()"),
            format!("\"{OP}\"() : () -> ({text})"),
            format!("\"{OP}\"() : () -> tensor<2x64xf32, {text}>"),
        ] {
            if let Some(printed) = printed(&contexts.open, &module) {
                let again = self::printed(&contexts.open, &printed);
                if again.as_ref() != Some(&printed) && keeps(&contexts.strict, &module) {
                    assert_eq!(again, Some(printed), "of {module:?}");
                }
            }
        }
    });
}

/// An operation of a known dialect that takes any attribute and has results of any types.
const OP: &str = "builtin.unrealized_conversion_cast";

/// Must what is printed of a module read back as it is? Whatever has the tile dialect's attributes and types must, with
/// other known dialects' around and in them. Left out is what MLIR 22 itself prints otherwise than it reads it:
/// - the text of an attribute or type whose dialect is unknown, which is printed as it came, balanced or not;
/// - the name of a resource, which becomes another where the context has one of that name;
/// - a float of more than 64 bits, of which too few digits are printed;
/// - a symbol with an empty name.
fn keeps(strict: &Context, module: &str) -> bool {
    const OTHERWISE: [&str; 4] = ["dense_resource", "f80", "f128", "@\"\""];
    module.contains("tile.") && !OTHERWISE.iter().any(|word| module.contains(word)) && printed(strict, module).is_some()
}

fn printed(context: &Context, text: &str) -> Option<String> {
    let (module, reports) = sys::collect_diagnostics(context, || sys::parse_module(context, text, "fuzz.mlir"));
    let Some(module) = module else {
        assert!(!reports.is_empty(), "a text is refused without a word");
        return None;
    };
    Some(module.as_operation().to_string())
}
