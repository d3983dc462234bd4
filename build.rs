//! Builds the C++ under `dialects/`: generates code from the TableGen files with `mlir-tblgen`, compiles it with `cc`.
//! It is the build script of `mytriton-tile-sys`, which links the result.

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

/// The variable that names the LLVM installation; mlir-sys reads the same one.
const PREFIX_VARIABLE: &str = "MLIR_SYS_220_PREFIX";

/// Where the headers of the dialect lie under an include directory.
const DIALECT_INCLUDE: &str = "mytriton/Dialect/Tile/IR";

/// What `mlir-tblgen` makes of the dialect: file under the generated includes, then its arguments.
const GENERATED: &[(&str, &[&str])] = &[
    ("TileDialect.h.inc", &["-gen-dialect-decls", "-dialect=tile"]),
    ("TileDialect.cpp.inc", &["-gen-dialect-defs", "-dialect=tile"]),
    ("TileEnums.h.inc", &["-gen-enum-decls"]),
    ("TileEnums.cpp.inc", &["-gen-enum-defs"]),
    ("TileTypes.h.inc", &["-gen-typedef-decls", "-typedefs-dialect=tile"]),
    ("TileTypes.cpp.inc", &["-gen-typedef-defs", "-typedefs-dialect=tile"]),
    (
        "TileAttributes.h.inc",
        &["-gen-attrdef-decls", "-attrdefs-dialect=tile"],
    ),
    (
        "TileAttributes.cpp.inc",
        &["-gen-attrdef-defs", "-attrdefs-dialect=tile"],
    ),
    ("TileOps.h.inc", &["-gen-op-decls"]),
    ("TileOps.cpp.inc", &["-gen-op-defs"]),
];

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?)
        .join("../..")
        .canonicalize()?;
    let dialects = root.join("dialects");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", root.join("build.rs").display());
    println!("cargo::rerun-if-changed={}", dialects.display());
    println!("cargo::rerun-if-env-changed={PREFIX_VARIABLE}");

    let llvm = find_llvm()?;
    let includes = [dialects.join("include"), llvm.join("include")];
    let generated = out.join("include");
    generate(&llvm, &includes, &generated.join(DIALECT_INCLUDE))?;
    compile(&sources(&dialects.join("lib"))?, &includes, &generated)?;

    // For build scripts of crates that read the TableGen files: DEP_MYTRITON_TILE_INCLUDE.
    println!("cargo::metadata=include={}", includes[0].display());
    Ok(())
}

/// The prefix of an LLVM 22 with MLIR and `mlir-tblgen`.
fn find_llvm() -> Result<PathBuf, Box<dyn Error>> {
    let advice = "Run `cargo xtask setup`, which installs LLVM and MLIR 22 (libmlir-22-dev, mlir-22-tools), or set \
                  the variable to the prefix of such an installation.";
    let prefix = env::var_os(PREFIX_VARIABLE)
        .ok_or_else(|| format!("{PREFIX_VARIABLE} is not set, so that MLIR 22 cannot be found. {advice}"))?;
    let prefix = PathBuf::from(prefix);
    for needed in ["bin/mlir-tblgen", "include/mlir/IR/OpBase.td", "lib/libMLIROptLib.a"] {
        if !prefix.join(needed).exists() {
            return Err(format!(
                "{PREFIX_VARIABLE} is {}, but {needed} is not there. {advice}",
                prefix.display()
            )
            .into());
        }
    }
    Ok(prefix)
}

/// Runs `mlir-tblgen` once per generated file, all at the same time.
fn generate(llvm: &Path, includes: &[PathBuf], directory: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let definitions = includes[0].join(DIALECT_INCLUDE).join("TileOps.td");
    let results: Vec<Result<(), String>> = thread::scope(|scope| {
        let runs: Vec<_> = GENERATED
            .iter()
            .map(|(file, arguments)| {
                let mut command = Command::new(llvm.join("bin/mlir-tblgen"));
                command
                    .args(*arguments)
                    .arg(&definitions)
                    .arg("-o")
                    .arg(directory.join(file));
                for include in includes {
                    command.arg("-I").arg(include);
                }
                scope.spawn(move || run_command(command))
            })
            .collect();
        runs.into_iter()
            .map(|run| {
                run.join()
                    .unwrap_or_else(|_| Err("mlir-tblgen's thread panicked".into()))
            })
            .collect()
    });
    Ok(results.into_iter().collect::<Result<(), _>>()?)
}

fn run_command(mut command: Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?} failed ({}):\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}

/// All C++ sources under `directory`, in a fixed order.
fn sources(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cpp") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Compiles the sources into one static library, with the settings that LLVM itself was built with.
fn compile(sources: &[PathBuf], includes: &[PathBuf], generated: &Path) -> Result<(), Box<dyn Error>> {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .opt_level(1)
        .debug(false)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-ffunction-sections")
        .flag("-fdata-sections")
        .define("NDEBUG", None)
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .include(&includes[0])
        .include(generated)
        .flag("-isystem")
        .flag(&includes[1])
        .warnings(true)
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-flarge-source-files")
        .files(sources);
    build.try_compile("mytriton_tile")?;
    Ok(())
}
