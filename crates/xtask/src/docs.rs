//! `docs`: the reference pages under `docs/generated/`, written by mlir-tblgen from the dialect's definition.
//!
//! The pages are committed, so that they can be read without building; `--check` keeps them true.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::project::Project;

const GENERATED: &str = "docs/generated";
const INCLUDE: &str = "dialects/include";

/// A dialect whose definition makes one page.
struct Page {
    /// Name of the dialect as the IR spells it.
    dialect: &'static str,
    /// The definition file that includes the dialect's others, below [`INCLUDE`].
    definition: &'static str,
    /// The page, below [`GENERATED`].
    file: &'static str,
}

const PAGES: &[Page] = &[Page {
    dialect: "tile",
    definition: "mytriton/Dialect/Tile/IR/TileOps.td",
    file: "tile-dialect.md",
}];

/// Writes the pages, or compares them with what would be written.
///
/// # Errors
/// mlir-tblgen is missing or fails, or with `check` a page differs.
pub fn run(project: &Project, check: bool) -> Result<()> {
    let mut stale = Vec::new();
    for page in PAGES {
        let text = generate(project, page)?;
        let path = project.path(GENERATED).join(page.file);
        let same = std::fs::read_to_string(&path).is_ok_and(|committed| committed == text);
        if check && !same {
            stale.push(format!("{GENERATED}/{}", page.file));
        } else if !same {
            std::fs::create_dir_all(project.path(GENERATED))?;
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        if !check || same {
            println!(
                "docs: {GENERATED}/{} is {}",
                page.file,
                if same { "up to date" } else { "written" }
            );
        }
    }
    if !stale.is_empty() {
        bail!(
            "{} is not what the definition gives now; run `cargo xtask docs` and commit it",
            stale.join(", ")
        );
    }
    Ok(())
}

fn generate(project: &Project, page: &Page) -> Result<String> {
    let mut tblgen = Command::new(project.llvm_tool("mlir-tblgen")?);
    tblgen
        .current_dir(project.root())
        .arg("-gen-dialect-doc")
        .arg(format!("-dialect={}", page.dialect));
    tblgen
        .arg("-I")
        .arg(INCLUDE)
        .arg("-I")
        .arg(project.llvm_prefix().join("include"));
    tblgen.arg(format!("{INCLUDE}/{}", page.definition));
    Ok(tidy_page(&process::capture(&mut tblgen)?))
}

/// mlir-tblgen leaves blanks at line ends and runs empty lines together.
fn tidy_page(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() && (tidy.is_empty() || tidy.ends_with("\n\n")) {
            continue;
        }
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy.truncate(tidy.trim_end().len());
    tidy.push('\n');
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_no_stray_blanks() {
        assert_eq!(tidy_page("\n\n# a  \n \n\n\nb\n\n"), "# a\n\nb\n");
        assert_eq!(tidy_page(""), "\n");
    }
}
