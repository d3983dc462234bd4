//! Whichever package is built, what MLIR's bindings are generated with and from has the same features: else Cargo
//! builds bindgen, the bindings and the C++ anew for each selection of packages. `mytriton-host-features` is what
//! fixes them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Finding;
use super::dependencies::mlir_packages;
use crate::process;
use crate::project::Project;

/// The crates that are slow to build, or whose build scripts are.
const SLOW: &[&str] = &["mlir-sys", "melior", "tblgen", "llvm-sys"];
const FIXES_THEM: &str = "crates/host-features/Cargo.toml";

/// The features of each package, by the selections that it is built with.
type Features = BTreeMap<String, BTreeSet<String>>;

/// Compares what each crate that needs MLIR is built from with what the whole workspace is.
///
/// # Errors
/// Cargo fails.
pub(super) fn check(project: &Project) -> Result<Vec<Finding>> {
    let all = features(&tree(project, &["--workspace"])?);
    let mut findings = Vec::new();
    for package in mlir_packages() {
        let own = features(&tree(project, &["--package", &package])?);
        findings.extend(differences(&package, &own, &all));
    }
    Ok(findings)
}

fn tree(project: &Project, selection: &[&str]) -> Result<String> {
    let mut cargo = project.cargo(["tree", "--edges", "normal,build,dev", "--prefix", "depth"]);
    process::capture(cargo.args(["--format", "|{p}|{f}|"]).args(selection))
}

/// The features of everything that [`SLOW`] is built from, in a tree as `cargo tree` prints it.
fn features(tree: &str) -> Features {
    // A package is printed with its dependencies once; later lines of it end in `(*)`.
    let mut dependencies: BTreeMap<(&str, &str), BTreeSet<(&str, &str)>> = BTreeMap::new();
    let mut path: Vec<(&str, &str)> = Vec::new();
    for line in tree.lines() {
        let mut parts = line.split('|');
        let (Some(depth), Some(package), Some(features)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let node = (package, features);
        path.truncate(depth.parse().unwrap_or(0));
        if let Some(parent) = path.last() {
            dependencies.entry(*parent).or_default().insert(node);
        }
        path.push(node);
    }
    let is_slow = |package: &str| SLOW.contains(&package.split(' ').next().unwrap_or_default());
    let mut pending: Vec<_> = dependencies.values().flatten().copied().collect();
    pending.retain(|(package, _)| is_slow(package));
    let mut found = Features::new();
    while let Some((package, features)) = pending.pop() {
        if found.entry(package.to_owned()).or_default().insert(features.to_owned()) {
            pending.extend(dependencies.get(&(package, features)).into_iter().flatten());
        }
    }
    found
}

fn differences(package: &str, own: &Features, all: &Features) -> Vec<Finding> {
    let differing = own.iter().filter(|(name, features)| all.get(*name) != Some(features));
    differing
        .map(|(name, features)| {
            let list = |features: &BTreeSet<String>| features.iter().cloned().collect::<Vec<_>>().join("; ");
            let wanted = all.get(name).map(list).unwrap_or_default();
            let message = format!(
                "{package} alone is built with {name} of features [{}], the workspace with [{wanted}]: ask for the union",
                list(features)
            );
            Finding::on_file(FIXES_THEM, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "0|a v1|default|\n1|mlir-sys v1||\n2|bindgen v2|std|\n3|syn v2|full,visit|\n1|syn v2|fold|\n\n\
                       0|b v1||\n1|bindgen v2|std| (*)\n";

    #[test]
    fn only_what_slow_crates_are_built_from_counts() {
        let found = features(ALL);
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["bindgen v2", "mlir-sys v1", "syn v2"]);
        assert_eq!(found["syn v2"], BTreeSet::from(["full,visit".to_owned()]));
    }

    #[test]
    fn a_difference_names_package_and_features() {
        let own = features("0|a v1||\n1|mlir-sys v1||\n2|bindgen v2|std|\n3|syn v2|full|\n");
        let found = differences("a", &own, &features(ALL));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0]
                .message
                .contains("a alone is built with syn v2 of features [full], the workspace with [full,visit]")
        );
        assert!(differences("a", &features(ALL), &features(ALL)).is_empty());
    }
}
