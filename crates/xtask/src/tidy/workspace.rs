//! The part of `cargo metadata` that the rules look at.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

/// The workspace's own packages.
pub(super) struct Workspace {
    pub packages: Vec<Package>,
}

/// A package's manifest, as Cargo reads it.
pub(super) struct Package {
    pub name: String,
    pub manifest: PathBuf,
    pub description: Option<String>,
    pub license: Option<String>,
    pub dependencies: Vec<Dependency>,
    /// What each feature turns on.
    pub features: BTreeMap<String, Vec<String>>,
}

/// An edge to another package, of the workspace or not.
pub(super) struct Dependency {
    pub name: String,
    pub kind: Kind,
    pub optional: bool,
}

/// When a dependency counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Build,
    Development,
}

impl Workspace {
    /// Reads the output of `cargo metadata --no-deps`.
    pub fn from_metadata(metadata: &Value) -> Result<Self> {
        let packages = metadata["packages"]
            .as_array()
            .context("`cargo metadata` lists no packages")?;
        Ok(Self {
            packages: packages.iter().map(Package::from_metadata).collect::<Result<_>>()?,
        })
    }
}

impl Package {
    fn from_metadata(value: &Value) -> Result<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let name = text("name").context("a package of `cargo metadata` has no name")?;
        let dependencies = value["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .map(Dependency::from_metadata);
        let features = value["features"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(feature, on)| {
                let on = on.as_array().into_iter().flatten().filter_map(Value::as_str);
                (feature.clone(), on.map(str::to_owned).collect())
            });
        Ok(Self {
            manifest: PathBuf::from(text("manifest_path").with_context(|| format!("{name} has no manifest"))?),
            description: text("description"),
            license: text("license"),
            dependencies: dependencies.collect::<Result<_>>()?,
            features: features.collect(),
            name,
        })
    }
}

impl Dependency {
    fn from_metadata(value: &Value) -> Result<Self> {
        let name = value["name"]
            .as_str()
            .context("a dependency of `cargo metadata` has no name")?;
        let kind = match value["kind"].as_str() {
            None => Kind::Normal,
            Some("build") => Kind::Build,
            Some(_) => Kind::Development,
        };
        Ok(Self {
            name: name.to_owned(),
            kind,
            optional: value["optional"].as_bool().unwrap_or(false),
        })
    }
}
