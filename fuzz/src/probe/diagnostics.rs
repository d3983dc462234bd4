//! Errors with their place in a source, as the command line shows them.

use crate::error::Error;

/// The first line is a message, the others are the source that it is about. What the parser of typed SSA says of the
/// source is shown too, and must not steer the terminal.
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (message, source) = text.split_once('\n').unwrap_or((&text, ""));
    let error = Error::in_source(message, "k", source);
    // Empty messages are the only ones that show nothing.
    assert!(!error.render(false).is_empty() || error.to_string().trim().is_empty());
    if let Err(error) = mytriton_ssa::parse_module(source, "k") {
        let shown = Error::ssa(&error, source).render(false);
        assert!(shown.starts_with("error: ") && shown.ends_with('\n'), "{shown}");
        let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!shown.contains(steers), "{shown:?}");
    }
}
