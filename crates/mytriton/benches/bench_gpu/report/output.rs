//! Files: each is written whole under another name and then moved into its place.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::Record;
use super::{plot, table};

/// Writes `bench.json`, `bench.md` and `bench.svg` into a directory, which is made.
pub fn write(record: &Record, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let json = serde_json::to_string_pretty(record)? + "\n";
    replace(directory, "bench.json", &json)?;
    replace(directory, "bench.md", &table::markdown(record))?;
    // Times alone have no plot.
    match plot::svg(record)? {
        Some(svg) => replace(directory, "bench.svg", &svg),
        None => Ok(()),
    }
}

/// Reads what [`write`] wrote as JSON.
pub fn read(path: &Path) -> Result<Record> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no record of measurements", path.display()))
}

fn replace(directory: &Path, name: &str, text: &str) -> Result<()> {
    let path = directory.join(name);
    let failed = || format!("cannot write {}", path.display());
    let mut file = tempfile::NamedTempFile::new_in(directory).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)?;
    file.persist(&path).with_context(failed)?;
    Ok(())
}
