//! Rules for any text file: length, blanks, and what belongs to one machine only.

use super::{Finding, Source};

/// A source file of more lines is to be split.
const MOST_LINES: usize = 800;
/// A source file of more lines is worth a second look.
const MANY_LINES: usize = 500;
const COUNTED_EXTENSIONS: &[&str] = &["rs", "cpp", "cc", "h", "hpp", "inc", "td", "py"];

/// Cargo's own file names registries, and is Cargo's to write.
const LOCK: &str = "Cargo.lock";

/// Checks one file.
pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let path = source.path.as_str();
    if is_counted(source) && source.text.lines().count() > MOST_LINES {
        let message = format!(
            "has {} lines; split it ({MOST_LINES} at most)",
            source.text.lines().count()
        );
        findings.push(Finding::on_file(path, message));
    }
    if path == LOCK {
        return findings;
    }
    // A snapshot holds the blanks of what it is a picture of.
    let snapshot = source.extension() == "snap";
    if !snapshot && !source.text.is_empty() && !source.text.ends_with('\n') {
        findings.push(Finding::on_file(path, "its last line has no end (add a newline)"));
    }
    for (number, line) in (1..).zip(source.text.split_terminator('\n')) {
        let mut found = |message: String| findings.push(Finding::on_line(path, number, message));
        if !snapshot && line.ends_with([' ', '\t', '\r']) {
            found("blank at the end of the line".to_owned());
        }
        if let Some(machine) = machine_path(line) {
            found(format!(
                "{machine} exists on one machine only; use a relative path or std::env::temp_dir()"
            ));
        }
        if let Some(host) = REGISTRY_HOSTS.iter().find(|host| names_host(line, &host.concat())) {
            found(format!(
                "names the package registry {}; its clients know where it is",
                host.concat()
            ));
        }
    }
    findings
}

/// A file that is not too long yet, but on its way.
pub(super) fn note(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    let long = is_counted(source) && (MANY_LINES + 1..=MOST_LINES).contains(&lines);
    long.then(|| format!("{} has {lines} lines", source.path))
}

fn is_counted(source: &Source) -> bool {
    COUNTED_EXTENSIONS.contains(&source.extension())
}

/// Directories that differ from one machine to the next.
const MACHINE_DIRECTORIES: &[&str] = &["home", "root", "tmp", "work", "Users"];

/// The first absolute path into such a directory.
fn machine_path(line: &str) -> Option<String> {
    // Inside a longer path or a URL the same letters mean something else.
    let continues = |c: char| c.is_alphanumeric() || "/._-~*)}>%$".contains(c);
    let ends = |rest: &str| rest.starts_with(['/', '"', '\'', '`', ')']);
    line.match_indices('/').find_map(|(at, _)| {
        let after = &line[at + 1..];
        let directory = MACHINE_DIRECTORIES
            .iter()
            .find(|name| after.strip_prefix(**name).is_some_and(ends))?;
        (!line[..at].ends_with(continues)).then(|| format!("/{directory}"))
    })
}

/// Split so that this file does not name them itself.
const REGISTRY_HOSTS: &[[&str; 2]] = &[
    ["crates", ".io"],
    ["pypi", ".org"],
    ["pythonhosted", ".org"],
    ["deb.debian", ".org"],
    ["security.debian", ".org"],
    ["apt.llvm", ".org"],
    ["registry.npmjs", ".org"],
    ["proxy.golang", ".org"],
];

fn names_host(line: &str, host: &str) -> bool {
    line.match_indices(host)
        .any(|(at, _)| !line[at + host.len()..].starts_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn problems(path: &str, text: &str) -> Vec<String> {
        check(&source(path, text))
            .into_iter()
            .map(|finding| finding.to_string())
            .collect()
    }

    #[test]
    fn long_files_are_to_be_split() {
        let lines = |count: usize| "x\n".repeat(count);
        assert_eq!(problems("a.rs", &lines(800)), [""; 0]);
        assert_eq!(
            problems("a.rs", &lines(801)),
            ["a.rs: has 801 lines; split it (800 at most)"]
        );
        assert_eq!(problems("a.mlir", &lines(801)), [""; 0], "only sources count");
        assert_eq!(note(&source("a.td", &lines(500))), None);
        assert_eq!(
            note(&source("a.td", &lines(501))),
            Some("a.td has 501 lines".to_owned())
        );
        assert_eq!(note(&source("a.td", &lines(801))), None, "that is an error, not a note");
    }

    #[test]
    fn blanks_at_ends() {
        assert_eq!(
            problems("a.md", "a\nb"),
            ["a.md: its last line has no end (add a newline)"]
        );
        assert_eq!(problems("a.md", "a \nb\t\nc\r\n").len(), 3);
        assert_eq!(problems("a.md", "a\n\nb\n"), [""; 0]);
        assert_eq!(problems("a.md", ""), [""; 0]);
        assert_eq!(
            problems("tests/a.snap", "a \nb"),
            [""; 0],
            "snapshots are kept as they are"
        );
    }

    #[test]
    fn paths_of_one_machine() {
        for directory in MACHINE_DIRECTORIES {
            assert_eq!(
                problems("a.rs", &format!("open(\"/{directory}/x\")\n")).len(),
                1,
                "{directory}"
            );
            assert_eq!(
                problems("a.rs", &format!("open(\"/{directory}\")\n")).len(),
                1,
                "{directory}"
            );
            assert_eq!(
                problems("a.rs", &format!("target/{directory}/x, ${{dir}}/{directory}/x\n")),
                [""; 0]
            );
            assert_eq!(
                problems("a.md", &format!("(https://example.com/{directory}/x)\n")),
                [""; 0]
            );
            assert_eq!(
                problems("a.md", &format!("/usr/{directory}/x and /{directory}s/x\n")),
                [""; 0]
            );
        }
        assert_eq!(problems("a.md", "`/usr/lib/llvm-22` and a/b/work\n"), [""; 0]);
    }

    #[test]
    fn registry_hosts() {
        for host in REGISTRY_HOSTS {
            let host = host.concat();
            assert_eq!(
                problems("a.toml", &format!("url = \"https://{host}/x\"\n")).len(),
                1,
                "{host}"
            );
            assert_eq!(problems("a.toml", &format!("{host}x\n")), [""; 0], "a longer name");
        }
        assert_eq!(
            problems("Cargo.lock", &format!("{}\n", REGISTRY_HOSTS[0].concat())),
            [""; 0]
        );
    }
}
