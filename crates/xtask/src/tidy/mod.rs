//! `tidy`: what a machine can check of the workspace's rules without compiling anything.
//!
//! [`dependencies`] holds the rules between crates, [`host_features`] what keeps builds from being repeated,
//! [`manifests`] what each crate's manifest has, [`lists`] what the documentation repeats of the code, and the other
//! modules the hygiene of files. A rule is a plain function from text to findings, tested on made-up input.

mod dependencies;
mod files;
mod host_features;
mod lists;
mod lit_tests;
mod manifests;
mod markdown;
mod rust;
mod rust_text;
mod workspace;

use std::fmt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::project::Project;
use workspace::Workspace;

/// Something that breaks a rule: where, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// Counted from 1; `None` where the finding is on the whole file.
    line: Option<usize>,
    message: String,
}

impl Finding {
    fn on_file(path: &str, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            message: message.into(),
        }
    }

    fn on_line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line: Some(line),
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// A text file of the workspace.
struct Source {
    /// From the top directory, with `/` between the parts.
    path: String,
    text: String,
}

impl Source {
    fn extension(&self) -> &str {
        Path::new(&self.path)
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default()
    }
}

/// Checks everything, prints the findings and returns a closing line.
///
/// # Errors
/// A rule is broken, or the workspace cannot be read.
pub fn run(project: &Project) -> Result<String> {
    let workspace = Workspace::from_metadata(&project.metadata()?)?;
    let sources = sources(project)?;
    let mut findings = dependencies::check(&workspace);
    for package in &workspace.packages {
        let text = std::fs::read_to_string(&package.manifest)
            .with_context(|| format!("cannot read {}", package.manifest.display()))?;
        findings.extend(manifests::check(package, &text));
    }
    for source in &sources {
        findings.extend(files::check(source));
        findings.extend(rust::check(source));
        findings.extend(markdown::check(source, |target| project.path(target).exists()));
        findings.extend(lit_tests::check(source));
    }
    findings.extend(lists::check(&sources));
    findings.extend(host_features::check(project)?);
    sources
        .iter()
        .filter_map(files::note)
        .for_each(|note| println!("note: {note}"));
    findings.iter().for_each(|finding| println!("error: {finding}"));
    if !findings.is_empty() {
        bail!("tidy found {} thing(s) to mend", findings.len());
    }
    let closing = format!(
        "tidy: {} files, {} crates, nothing to mend",
        sources.len(),
        workspace.packages.len()
    );
    println!("{closing}");
    Ok(closing)
}

/// The workspace's text files; binary ones are left out.
fn sources(project: &Project) -> Result<Vec<Source>> {
    let mut paths = if project.path(".git").exists() {
        tracked(project)?
    } else {
        unpacked(project.root())?
    };
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let absolute = project.path(&path);
        // A file deleted but not yet committed so is still tracked; a link's target is checked by itself.
        if !absolute.symlink_metadata().is_ok_and(|facts| facts.is_file()) {
            continue;
        }
        let bytes = std::fs::read(&absolute).with_context(|| format!("cannot read {path}"))?;
        if bytes.contains(&0) {
            continue;
        }
        if let Ok(text) = String::from_utf8(bytes) {
            sources.push(Source { path, text });
        }
    }
    Ok(sources)
}

/// The files that Git tracks or would add.
fn tracked(project: &Project) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(project.root())
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listed = process::capture(&mut git).context("cannot ask Git which files belong to the workspace")?;
    Ok(listed
        .split('\0')
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect())
}

/// The files of a source archive, which has no Git directory: all but what building leaves.
fn unpacked(root: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in directory
            .read_dir()
            .with_context(|| format!("cannot list {}", directory.display()))?
        {
            let entry = entry?;
            let path = entry.path();
            let relative = path.strip_prefix(root)?.to_string_lossy().into_owned();
            if entry.file_type()?.is_dir() {
                if !["target", ".venv", ".git"].contains(&relative.as_str()) {
                    pending.push(path);
                }
            } else {
                paths.push(relative);
            }
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_is_listed_without_what_building_leaves() {
        let project = Project::locate().unwrap();
        let unpacked = unpacked(project.root()).unwrap();
        assert!(unpacked.iter().any(|path| path == "crates/xtask/src/tidy/mod.rs"));
        assert!(
            !unpacked
                .iter()
                .any(|path| ["target/", ".git/"].iter().any(|left| path.starts_with(left)))
        );
    }

    #[test]
    fn findings_read_like_compiler_messages() {
        assert_eq!(Finding::on_line("a/b.rs", 3, "tab").to_string(), "a/b.rs:3: tab");
        assert_eq!(Finding::on_file("a/b.rs", "too long").to_string(), "a/b.rs: too long");
    }
}
