//! What every crate's manifest has: a description, the licence, and the workspace's lints.

use super::Finding;
use super::workspace::Package;

/// Checks what Cargo read of a manifest, and the manifest's `text` for what Cargo does not report.
pub(super) fn check(package: &Package, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut want = |there: bool, what: &str| {
        if !there {
            findings.push(Finding::on_file(&package.name, format!("its manifest lacks {what}")));
        }
    };
    let filled = |value: &Option<String>| value.as_ref().is_some_and(|value| !value.trim().is_empty());
    want(filled(&package.description), "a description");
    want(filled(&package.license), "`license.workspace = true`");
    want(inherits_lints(text), "`[lints] workspace = true`");
    findings
}

fn inherits_lints(manifest: &str) -> bool {
    let mut table = "";
    manifest.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            table = line;
        }
        let setting: String = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        (table == "[lints]" && setting == "workspace=true") || (table.is_empty() && setting == "lints.workspace=true")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::workspace::Workspace;
    use super::*;

    fn problems(package: serde_json::Value, text: &str) -> Vec<String> {
        let workspace = Workspace::from_metadata(&json!({ "packages": [package] })).unwrap();
        check(&workspace.packages[0], text)
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn lints_come_from_the_workspace() {
        assert!(inherits_lints(
            "[package]\nname = \"a\"\n\n[lints]\nworkspace = true # all\n"
        ));
        assert!(inherits_lints("lints.workspace = true\n[package]\n"));
        assert!(!inherits_lints("[package]\nworkspace = true\n"));
        assert!(!inherits_lints("[lints]\nworkspace = false\n"));
        assert!(!inherits_lints("[lints.rust]\nworkspace = true\n"));
    }

    #[test]
    fn each_missing_part_is_named() {
        let bare = json!({"name": "a", "manifest_path": "Cargo.toml", "description": " "});
        assert_eq!(
            problems(bare, ""),
            [
                "its manifest lacks a description",
                "its manifest lacks `license.workspace = true`",
                "its manifest lacks `[lints] workspace = true`"
            ]
        );
        let whole =
            json!({"name": "a", "manifest_path": "Cargo.toml", "description": "does a thing", "license": "Apache-2.0"});
        assert_eq!(problems(whole, "[lints]\nworkspace = true\n"), [""; 0]);
    }
}
