//! The text form of typed SSA: every text is a module that can be printed and read back, or an error with its place.

use mytriton_ssa::{PrintOptions, parse_module, verify_module};

/// Reads a text and checks what can be checked of any answer.
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match parse_module(&text, "fuzz.ssa") {
        Ok(module) => {
            verify_module(&module).expect("the parser answers with verified modules");
            for locations in [false, true] {
                let options = PrintOptions { locations };
                let printed = module.display(options).to_string();
                let again = parse_module(&printed, "fuzz.ssa").expect("a printed module can be read");
                assert_eq!(again.display(options).to_string(), printed);
            }
        }
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1);
            assert!(text.get(error.span.clone()).is_some(), "{error}");
            let shown = error.to_string();
            assert!(shown.starts_with("fuzz.ssa:") && shown.ends_with('^'), "{shown}");
            let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
            assert!(!shown.contains(steers), "{shown:?}");
        }
    }
}
