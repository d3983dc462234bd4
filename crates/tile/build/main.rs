//! Generates the Rust bindings of operations, which `src/ops.rs` includes, from their ODS definitions: those of the tile
//! dialect, and of upstream dialects those that `dialects.rs` names.

mod dialects;
mod generate;
mod model;
mod ods;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use dialects::UPSTREAM;
use ods::{Ops, Wanted};

/// The variable that names the LLVM installation; mlir-sys reads the same one.
const PREFIX_VARIABLE: &str = "MLIR_SYS_220_PREFIX";
/// The project's include directory of TableGen files, as the build script of mytriton-tile-sys tells it.
const INCLUDE_VARIABLE: &str = "DEP_MYTRITON_TILE_INCLUDE";
/// The file, under that directory, that includes every operation of the tile dialect.
const DEFINITIONS: &str = "mytriton/Dialect/Tile/IR/TileOps.td";

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let variable = |name: &str| env::var(name).map_err(|error| format!("environment variable {name}: {error}"));
    let dialects = PathBuf::from(variable(INCLUDE_VARIABLE)?);
    let llvm = Path::new(&variable(PREFIX_VARIABLE)?).join("include");
    let out = Path::new(&variable("OUT_DIR")?).join("ops.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", dialects.display());
    println!("cargo::rerun-if-env-changed={PREFIX_VARIABLE}");

    let mut definitions = vec![DEFINITIONS];
    let mut wanted = vec![Wanted {
        dialect: "tile",
        ops: Ops::All,
        enums: &[],
    }];
    for upstream in UPSTREAM {
        definitions.extend(upstream.definitions);
        wanted.push(Wanted {
            dialect: upstream.name,
            ops: Ops::Named(upstream.ops),
            enums: upstream.enums,
        });
    }
    let read = ods::read(&definitions, &wanted, &[&dialects, &llvm])?;
    fs::write(&out, generate::bindings(&read)).map_err(|error| format!("{}: {error}", out.display()))?;
    Ok(())
}
