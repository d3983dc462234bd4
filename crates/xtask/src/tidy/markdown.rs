//! Links in Markdown files point at files that exist.

use super::{Finding, Source};

/// Checks the relative links of a Markdown file; `exists` is asked with paths from the top directory.
pub(super) fn check(source: &Source, exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    if source.extension() != "md" {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut fenced = false;
    for (number, line) in (1..).zip(source.text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let text = without_code(line);
            for target in targets(&text).filter(is_file) {
                let file = target.split('#').next().unwrap_or_default();
                match resolve(&source.path, file) {
                    Some(path) if exists(&path) => {}
                    Some(path) => {
                        findings.push(Finding::on_line(
                            &source.path,
                            number,
                            format!("link to {path}, which is not there"),
                        ));
                    }
                    None => {
                        let message = format!("link to {file}, which leaves the workspace");
                        findings.push(Finding::on_line(&source.path, number, message));
                    }
                }
            }
        }
    }
    findings
}

/// The line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The targets of `[text](target)` and of a definition `[name]: target`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let inline = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', ' ']).next());
    let definition = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "))
        .filter(|(name, _)| !name.contains(']'))
        .and_then(|(_, target)| target.split_whitespace().next());
    inline.chain(definition).map(|target| target.trim_matches(['<', '>']))
}

/// Whether a target is a path, not another site or a place on the same page.
fn is_file(target: &&str) -> bool {
    !target.is_empty() && !target.starts_with('#') && !target.contains("://") && !target.starts_with("mailto:")
}

/// A link's path from the top directory; `None` above it.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        parts.extend(page.split('/'));
        parts.pop();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let source = Source {
            path: "docs/page.md".to_owned(),
            text: text.to_owned(),
        };
        let exists = |path: &str| ["README.md", "docs/a.md", "docs"].contains(&path);
        check(&source, exists)
            .into_iter()
            .map(|finding| finding.to_string())
            .collect()
    }

    #[test]
    fn links_that_hold() {
        let text = "[a](a.md), [b](a.md#part \"title\"), ![c](../README.md), [d](#here), [e](https://example.com/x)\n\
                    [f](/README.md) [g](<a.md>) [h](mailto:a@example.com) [i](../docs/)\n[j]: a.md\n";
        assert_eq!(problems(text), [""; 0]);
    }

    #[test]
    fn links_that_do_not() {
        assert_eq!(
            problems("x\n[a](b.md#c)\n"),
            ["docs/page.md:2: link to docs/b.md, which is not there"]
        );
        assert_eq!(
            problems("[a]: ../x.md\n"),
            ["docs/page.md:1: link to x.md, which is not there"]
        );
        assert_eq!(
            problems("[a](../../x.md)\n"),
            ["docs/page.md:1: link to ../../x.md, which leaves the workspace"]
        );
    }

    #[test]
    fn code_is_not_read() {
        assert_eq!(problems("`[a](b.md)`\n```text\n[a](b.md)\n```\n"), [""; 0]);
        assert_eq!(problems("```\n```\n[a](b.md)\n").len(), 1);
    }
}
