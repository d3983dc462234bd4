//! Which crate may see which, and which may see LLVM and MLIR.
//!
//! [`LAYERS`] is the whole of the architecture's dependency rules, from the bottom up:
//! 1. A normal or build dependency on a workspace crate is one that the table allows.
//! 2. A development dependency may be on any crate lower in the table.
//! 3. A crate not marked `mlir` sees, of any kind, neither LLVM's and MLIR's crates nor one marked `mlir`:
//!    it builds and tests where LLVM is not installed.
//! 4. The facade sees them as optional dependencies that only its feature `jit` turns on.
//! 5. Every crate of the workspace is in the table.

use super::Finding;
use super::workspace::{Dependency, Kind, Package, Workspace};

pub(super) struct Layer {
    /// Without the `mytriton-` in front.
    pub name: &'static str,
    /// The crates of the workspace it may depend on.
    pub may_see: &'static [&'static str],
    /// Whether it needs LLVM and MLIR to build.
    pub mlir: bool,
}

const fn plain(name: &'static str, may_see: &'static [&'static str]) -> Layer {
    Layer {
        name,
        may_see,
        mlir: false,
    }
}

const fn mlir(name: &'static str, may_see: &'static [&'static str]) -> Layer {
    Layer {
        name,
        may_see,
        mlir: true,
    }
}

/// The facade: what users depend on.
const FACADE: &str = "mytriton";
/// Its feature that brings the compiler in.
const COMPILER_FEATURE: &str = "jit";

/// Lower layers first.
pub(super) const LAYERS: &[Layer] = &[
    plain("host-features", &[]),
    plain("layout", &[]),
    plain("ssa", &[]),
    plain("abi", &["ssa"]),
    plain("interp", &["ssa"]),
    plain("frontend", &["ssa"]),
    plain("fuzz", &["ssa", "interp"]),
    plain("macros", &["ssa"]),
    plain("codegen-cuda", &["ssa", "abi"]),
    plain("runtime", &["abi"]),
    plain("simt", &["ssa", "layout"]),
    mlir("tile-sys", &["host-features", "layout"]),
    mlir("tile", &["tile-sys", "layout", "ssa"]),
    mlir("passes", &["tile", "tile-sys", "layout", "abi"]),
    mlir("codegen-ptx", &["host-features", "tile", "tile-sys"]),
    mlir("simt-decode", &["simt", "tile", "tile-sys", "ssa"]),
    mlir(
        "compiler",
        &[
            "layout",
            "ssa",
            "abi",
            "interp",
            "frontend",
            "codegen-cuda",
            "tile-sys",
            "tile",
            "passes",
            "codegen-ptx",
            "simt",
            "simt-decode",
        ],
    ),
    plain(
        FACADE,
        &[
            "ssa",
            "abi",
            "interp",
            "frontend",
            "macros",
            "codegen-cuda",
            "runtime",
            "tile-sys",
            "tile",
            "passes",
            "codegen-ptx",
            "simt",
            "simt-decode",
            "compiler",
        ],
    ),
    mlir("cli", &[FACADE, "layout", "ssa", "compiler"]),
    plain("xtask", &[]),
];

/// Crates from elsewhere that need LLVM or MLIR installed to build.
const LLVM_CRATES: &[&str] = &["inkwell", "llvm-sys", "melior", "melior-macro", "mlir-sys", "tblgen"];

/// The packages that need LLVM and MLIR to build, the facade with its default features among them.
pub(super) fn mlir_packages() -> impl Iterator<Item = String> {
    let layers = LAYERS.iter().filter(|layer| layer.mlir);
    let names = layers.map(|layer| format!("{FACADE}-{}", layer.name));
    names.chain([FACADE.to_owned()])
}

fn short(name: &str) -> &str {
    name.strip_prefix("mytriton-").unwrap_or(name)
}

fn position(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.name == short(name))
}

fn needs_llvm(name: &str) -> bool {
    LLVM_CRATES.contains(&name) || (name.starts_with("mytriton-") && position(name).is_some_and(|at| LAYERS[at].mlir))
}

/// Checks all packages against the table.
pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    workspace.packages.iter().flat_map(check_package).collect()
}

fn check_package(package: &Package) -> Vec<Finding> {
    let finding = |message: String| Finding::on_file(&package.name, message);
    let Some(at) = position(&package.name) else {
        return vec![finding(
            "is not in the dependency table (crates/xtask/src/tidy/dependencies.rs); give it a place there".to_owned(),
        )];
    };
    let mut findings: Vec<Finding> = package
        .dependencies
        .iter()
        .filter_map(|dependency| edge_problem(package, at, dependency).map(finding))
        .collect();
    if package.name == FACADE {
        findings.extend(feature_problems(package).into_iter().map(finding));
    }
    findings
}

fn edge_problem(package: &Package, at: usize, dependency: &Dependency) -> Option<String> {
    let layer = &LAYERS[at];
    let name = &dependency.name;
    if needs_llvm(name) && !layer.mlir {
        if layer.name != FACADE {
            return Some(format!(
                "depends on {name}, which needs LLVM; this crate has to build and test without it"
            ));
        }
        if dependency.kind != Kind::Normal || !dependency.optional {
            return Some(format!(
                "depends on {name}, which needs LLVM, always; make it an optional dependency of feature \
                 `{COMPILER_FEATURE}`"
            ));
        }
    }
    // The facade's own examples and tests may name the facade; so may no other crate.
    let below = position(name).filter(|_| name.starts_with("mytriton") || name == "xtask")?;
    let allowed = match dependency.kind {
        Kind::Normal | Kind::Build => layer.may_see.contains(&short(name)),
        Kind::Development => below < at || *name == package.name,
    };
    (!allowed).then(|| match dependency.kind {
        Kind::Development => format!("tests with {name}, which is not below it in the order of the layers"),
        _ => format!("depends on {name}; it may see {}", list(layer.may_see)),
    })
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "no other crate of the workspace".to_owned()
    } else {
        format!("only {}", names.join(", "))
    }
}

/// Features of the facade other than the compiler's that turn on a crate which needs LLVM.
fn feature_problems(package: &Package) -> Vec<String> {
    let mut problems = Vec::new();
    for (feature, turned_on) in package
        .features
        .iter()
        .filter(|(feature, _)| *feature != COMPILER_FEATURE)
    {
        for entry in turned_on {
            // `dep:x`, `x` or `x/feature` turn x on; `x?/feature` does not.
            let name = entry
                .strip_prefix("dep:")
                .unwrap_or(entry)
                .split('/')
                .next()
                .unwrap_or_default();
            if needs_llvm(name) {
                problems.push(format!(
                    "feature `{feature}` turns on {name}, which needs LLVM; only `{COMPILER_FEATURE}` may"
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn problems(package: Value) -> Vec<String> {
        let workspace = Workspace::from_metadata(&json!({ "packages": [package] })).unwrap();
        check(&workspace)
            .into_iter()
            .map(|finding| finding.to_string())
            .collect()
    }

    fn package(name: &str, dependencies: Value) -> Value {
        json!({"name": name, "manifest_path": "Cargo.toml", "dependencies": dependencies, "features": {}})
    }

    fn one_problem(package: Value, parts: &[&str]) {
        let found = problems(package);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(parts.iter().all(|part| found[0].contains(part)), "{found:?}");
    }

    #[test]
    fn table_is_layered() {
        for (at, layer) in LAYERS.iter().enumerate() {
            for name in layer.may_see {
                let below = position(name).unwrap_or_else(|| panic!("{name} is not in the table"));
                assert!(below < at, "{} may see {name}, which is above it", layer.name);
                assert!(
                    layer.mlir || layer.name == FACADE || !LAYERS[below].mlir,
                    "{} sees {name}",
                    layer.name
                );
            }
        }
    }

    #[test]
    fn allowed_edges_pass() {
        let tile = json!([
            {"name": "mytriton-ssa", "kind": null}, {"name": "mytriton-tile-sys", "kind": null},
            {"name": "melior", "kind": null}, {"name": "mytriton-interp", "kind": "dev"},
            {"name": "thiserror", "kind": null},
        ]);
        assert_eq!(problems(package("mytriton-tile", tile)), [""; 0]);
    }

    #[test]
    fn edge_outside_the_table_fails() {
        one_problem(
            package("mytriton-runtime", json!([{"name": "mytriton-ssa", "kind": null}])),
            &["mytriton-runtime: depends on mytriton-ssa", "only abi"],
        );
        one_problem(
            package("mytriton-layout", json!([{"name": "mytriton-ssa", "kind": "build"}])),
            &["no other crate of the workspace"],
        );
    }

    #[test]
    fn development_dependency_must_be_below() {
        assert!(
            problems(package(
                "mytriton-frontend",
                json!([{"name": "mytriton-interp", "kind": "dev"}])
            ))
            .is_empty()
        );
        one_problem(
            package("mytriton-ssa", json!([{"name": "mytriton-interp", "kind": "dev"}])),
            &["tests with mytriton-interp"],
        );
    }

    #[test]
    fn llvm_is_kept_out() {
        for kind in [Value::Null, json!("build"), json!("dev")] {
            for name in ["melior", "inkwell", "mytriton-tile"] {
                let dependency = json!([{"name": name, "kind": kind, "optional": true}]);
                let found = problems(package("mytriton-codegen-cuda", dependency));
                assert!(found[0].contains("needs LLVM"), "{found:?}");
            }
        }
    }

    #[test]
    fn facade_sees_the_compiler_only_by_its_feature() {
        let facade = |optional: bool, kind: Value, features: Value| {
            json!({
                "name": "mytriton", "manifest_path": "Cargo.toml", "features": features,
                "dependencies": [{"name": "mytriton-compiler", "kind": kind, "optional": optional}],
            })
        };
        let jit = json!({"default": ["jit"], "jit": ["dep:mytriton-compiler"]});
        assert_eq!(problems(facade(true, Value::Null, jit.clone())), [""; 0]);
        one_problem(
            facade(false, Value::Null, jit.clone()),
            &["optional dependency of feature `jit`"],
        );
        one_problem(
            facade(true, json!("dev"), jit),
            &["optional dependency of feature `jit`"],
        );
        for entry in ["dep:mytriton-compiler", "mytriton-compiler", "mytriton-compiler/dump"] {
            one_problem(
                facade(true, Value::Null, json!({"fast": [entry]})),
                &["feature `fast` turns on"],
            );
        }
        assert!(problems(facade(true, Value::Null, json!({"fast": ["mytriton-compiler?/dump"]}))).is_empty());
    }

    #[test]
    fn unknown_crate_needs_a_place() {
        one_problem(package("mytriton-new", json!([])), &["not in the dependency table"]);
    }
}
