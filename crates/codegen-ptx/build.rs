//! Makes the bitcode of the mathematics library: libclc's generic NVPTX build, cut down to the functions that the table of
//! elementwise operations names (`crates/ssa/src/op/elementwise.in`), renamed, and joined by this crate's own versions of hot
//! f32 functions (`libm/*.ll`). `$OUT_DIR/functions.in` lists them for `src/math/mod.rs`.
//!
//! Steps: `opt` internalises everything but the wanted functions and drops the rest; the text form is then edited line
//! by line (names, fused multiply-adds, address spaces, linkage); `llvm-link` adds the crate's own functions; the
//! result is `$OUT_DIR/math.bc`.
//!
//! Environment: `LLVM_SYS_221_PREFIX` (LLVM's prefix), `MYTRITON_LIBCLC` (the libclc bitcode).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Symbols of the finished library start with this.
const PREFIX: &str = "__mytriton_";
/// The libclc build whose functions stand on LLVM intrinsics alone. The `nvidiacl` flavour next to it calls NVIDIA's
/// libdevice for log, sqrt and others, which needs a CUDA toolkit.
const LIBCLC: &str = "/usr/lib/clc/nvptx64--.bc";

/// A function of the library.
struct Row {
    /// The operation that it computes.
    variant: &'static str,
    /// Its name in OpenCL.
    name: &'static str,
    operands: &'static str,
    /// The bounds of its error.
    f32: f64,
    f64: f64,
}

/// The rows of the table of elementwise operations that have a function in the library, as rows of `math_functions`.
macro_rules! library_row {
    ($variant:ident $operands:ident [none] $error:tt) => {
        None
    };
    ($variant:ident $operands:ident [$library:literal] [exact]) => {
        library_row!($variant $operands [$library] [0.0 0.0])
    };
    ($variant:ident $operands:ident [$library:literal] [rounded]) => {
        library_row!($variant $operands [$library] [0.5 0.5])
    };
    ($variant:ident $operands:ident [$library:literal] [$f32:literal $f64:literal $($rest:tt)*]) => {
        Some(Row {
            variant: stringify!($variant),
            name: $library,
            operands: operands!($operands),
            f32: $f32,
            f64: $f64,
        })
    };
}

macro_rules! operands {
    (unary) => {
        "Unary"
    };
    (same) => {
        "Binary"
    };
    (i32) => {
        "UnaryInt"
    };
}

macro_rules! elementwise_operations {
    (
        unary { $($u:ident $u_name:ident $u_takes:ident $u_builtin:ident $u_int:tt $u_float:tt $u_library:tt
            $u_error:tt $u_meaning:literal;)* }
        binary { $($b:ident $b_name:ident $b_takes:ident $b_second:ident $b_builtin:ident $b_reads:tt
            $b_undefined:tt $b_order:tt $b_identity:tt $b_int:tt $b_float:tt $b_library:tt $b_error:tt
            $b_meaning:literal;)* }
        comparisons { $($comparisons:tt)* }
        casts { $($casts:tt)* }
    ) => {
        const ROWS: &[Option<Row>] = &[
            $(library_row!($u unary $u_library $u_error),)*
            $(library_row!($b $b_second $b_library $b_error),)*
        ];
    };
}
include!("../ssa/src/op/elementwise.in");

fn main() {
    if let Err(message) = run() {
        eprintln!("error: {message}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    for variable in ["LLVM_SYS_221_PREFIX", "MYTRITON_LIBCLC"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    for path in ["build.rs", "../ssa/src/op/elementwise.in", "libm"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let tools = PathBuf::from(env::var_os("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into())).join("bin");
    let libclc = PathBuf::from(env::var_os("MYTRITON_LIBCLC").unwrap_or(LIBCLC.into()));
    if !libclc.is_file() {
        return Err(format!(
            "{} does not exist: install Debian's libclc-22, or set MYTRITON_LIBCLC to libclc 22's nvptx64--.bc",
            libclc.display()
        ));
    }
    println!("cargo::rerun-if-changed={}", libclc.display());

    write(&out.join("functions.in"), &function_list())?;

    let (own, own_text) = own_sources()?;
    let renames = renames(&own_text);
    let mut wanted: Vec<&str> = renames.keys().map(String::as_str).collect();
    wanted.sort_unstable();

    let reduced = out.join("libclc-reduced.ll");
    tool(
        &tools,
        "opt",
        &[
            "-S".as_ref(),
            "-passes=internalize,globaldce,strip-dead-prototypes".as_ref(),
            format!("-internalize-public-api-list={}", wanted.join(",")).as_ref(),
            libclc.as_os_str(),
            "-o".as_ref(),
            reduced.as_os_str(),
        ],
    )?;
    let text = fs::read_to_string(&reduced).map_err(|error| format!("{}: {error}", reduced.display()))?;
    for name in &wanted {
        if !text.contains(&format!("@{name}(")) {
            return Err(format!("{} has no function {name}: is it libclc 22?", libclc.display()));
        }
    }
    if let Some(line) = text
        .lines()
        .find(|line| line.starts_with("declare") && !line.contains("@llvm."))
    {
        return Err(format!(
            "{} needs a function that it does not define ({line}): use the flavour nvptx64--.bc",
            libclc.display()
        ));
    }
    let renamed = out.join("libclc-renamed.ll");
    write(&renamed, &edit(&text, &renames))?;

    // `llvm-link` joins the two and `opt` checks the result.
    let joined = out.join("math-joined.ll");
    let mut arguments: Vec<&std::ffi::OsStr> = vec!["-S".as_ref(), renamed.as_os_str()];
    arguments.extend(own.iter().map(|path| path.as_os_str()));
    arguments.extend(["-o".as_ref(), joined.as_os_str()] as [&std::ffi::OsStr; 2]);
    tool(&tools, "llvm-link", &arguments)?;
    let joined_text = fs::read_to_string(&joined).map_err(|error| format!("{}: {error}", joined.display()))?;
    let linkonce = out.join("math.ll");
    write(&linkonce, &make_discardable(&joined_text))?;
    let bitcode = out.join("math.bc");
    tool(
        &tools,
        "llvm-as",
        &[linkonce.as_os_str(), "-o".as_ref(), bitcode.as_os_str()],
    )
}

/// The functions with their operands and bounds, as an invocation of `math_functions`.
fn function_list() -> String {
    let mut rows: Vec<&Row> = ROWS.iter().flatten().collect();
    rows.sort_by_key(|row| row.name);
    let lines = rows.into_iter().map(|row| {
        let Row {
            variant,
            name,
            operands,
            f32,
            f64,
        } = row;
        format!("    {variant} {name:?} {operands} {f32:?} {f64:?};\n")
    });
    format!("math_functions! {{\n{}}}\n", lines.collect::<String>())
}

/// The crate's own LLVM IR files, in a fixed order, and their joined text.
fn own_sources() -> Result<(Vec<PathBuf>, String), String> {
    let mut own: Vec<PathBuf> = fs::read_dir("libm")
        .map_err(|error| format!("libm: {error}"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ll"))
        .collect();
    own.sort();
    let mut text = String::new();
    for path in &own {
        text += &fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok((own, text))
}

/// libclc's symbol of each wanted function (Itanium mangling of the OpenCL name) and its new name.
///
/// A function that `libm/` defines is not taken from libclc, unless the definition itself calls libclc's as
/// `__mytriton_clc_<name>_<type>`.
fn renames(own: &str) -> HashMap<String, String> {
    let mut renames = HashMap::new();
    for row in ROWS.iter().flatten() {
        for (letter, suffix) in [("f", "f32"), ("d", "f64")] {
            let mut new = format!("{PREFIX}{}_{suffix}", row.name);
            if own
                .lines()
                .any(|line| line.starts_with("define ") && line.contains(&format!("@{new}(")))
            {
                new = format!("{PREFIX}clc_{}_{suffix}", row.name);
                if !own.contains(&format!("@{new}(")) {
                    continue;
                }
            }
            let parameters = match row.operands {
                "Unary" => letter.to_owned(),
                "Binary" => letter.repeat(2),
                "UnaryInt" => format!("{letter}i"),
                other => unreachable!("operands {other}"),
            };
            let mangled = format!("_Z{}{}{parameters}", row.name.len(), row.name);
            renames.insert(mangled, new);
        }
    }
    renames
}

/// Rewrites the text of the reduced library:
/// - symbols get their new names;
/// - `llvm.fmuladd` becomes `llvm.fma`, so that a result depends neither on the fusion option nor on the machine;
/// - lookup tables move from constant memory, where lanes that read different entries wait for one another, to global
///   memory, where read-only loads go through the L1 cache;
/// - table indices are clamped: libclc computes every branch and reads tables for operands that the chosen branch does
///   not want, with indices far outside, which faults on a GPU as on a CPU;
/// - metadata and target-specific attributes go: they describe OpenCL sources, and `fpmath` allows wrong roundings;
/// - the target triple becomes the one our modules have, so that linking does not warn.
fn edit(text: &str, renames: &HashMap<String, String>) -> String {
    let fma_is_declared = |kind: &str| {
        text.lines()
            .any(|l| l.starts_with("declare") && l.contains(&format!("@llvm.fma.{kind}(")))
    };
    let tables: HashMap<&str, usize> = text.lines().filter_map(table).collect();
    let mut clamped = 0;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if line.starts_with('!') || line.starts_with("source_filename") || line.starts_with("; ModuleID") {
            continue;
        }
        if line.starts_with("declare") && line.contains("@llvm.fmuladd.") {
            let kind = if line.contains(".f32(") { "f32" } else { "f64" };
            if fma_is_declared(kind) {
                continue;
            }
        }
        let mut line = if line.starts_with("target triple") {
            "target triple = \"nvptx64-nvidia-cuda\"".to_owned()
        } else if line.starts_with("attributes") {
            without_string_attributes(line)
        } else {
            rename_symbols(line, renames)
        };
        if line.starts_with("  ")
            && let Some(metadata) = line.find(", !")
        {
            line.truncate(metadata);
        }
        if let Some((address, index, last)) = table_access(&line, &tables) {
            let safe = format!("%in_table.{clamped}");
            clamped += 1;
            // The index may be poison (an out-of-range conversion), hence the freeze.
            out.push_str(&format!("  {safe}.frozen = freeze i64 {index}\n"));
            out.push_str(&format!(
                "  {safe} = call i64 @llvm.umin.i64(i64 {safe}.frozen, i64 {last})\n"
            ));
            line = format!("{address}{safe}");
        }
        out.push_str(
            &line
                .replace("addrspace(4)", "addrspace(1)")
                .replace("@llvm.fmuladd.", "@llvm.fma."),
        );
        out.push('\n');
    }
    if clamped > 0 && !text.contains("declare i64 @llvm.umin.i64(") {
        out.push_str("declare i64 @llvm.umin.i64(i64, i64)\n");
    }
    out
}

/// Name and last usable index of the table that a line defines: `@EXP_TBL = internal ... constant [65 x float] ...`.
fn table(line: &str) -> Option<(&str, usize)> {
    let (name, rest) = line.strip_prefix('@')?.split_once(" = ")?;
    let (count, element) = rest.split_once(" constant [")?.1.split_once(" x ")?;
    let count: usize = count.parse().ok()?;
    // The bits of 2/pi are read as five eight-byte words from some byte on.
    let read_from_index = if element.starts_with("i8") { 40 } else { 1 };
    Some((name, count.checked_sub(read_from_index)?))
}

/// For an address in a table at a variable index: the line up to the index, the index, the last usable one.
fn table_access(line: &str, tables: &HashMap<&str, usize>) -> Option<(String, String, usize)> {
    let (_, operands) = line.split_once(" = getelementptr ")?;
    let (name, _) = operands.split_once('@')?.1.split_once(", ")?;
    let last = *tables.get(name)?;
    let (address, index) = line.rsplit_once(' ')?;
    index
        .starts_with('%')
        .then(|| (format!("{address} "), index.to_owned(), last))
}

/// Gives every function the linkage `linkonce_odr`: the linker then takes only those that the other module calls.
fn make_discardable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match line.strip_prefix("define ") {
            Some(rest) => {
                let rest = rest
                    .strip_prefix("dso_local ")
                    .or(rest.strip_prefix("internal "))
                    .unwrap_or(rest);
                out.push_str("define linkonce_odr ");
                out.push_str(rest);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Replaces whole identifiers after `@`.
fn rename_symbols(line: &str, renames: &HashMap<String, String>) -> String {
    let mut pieces = line.split('@');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece
            .find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c)))
            .unwrap_or(piece.len());
        let (symbol, rest) = piece.split_at(end);
        out.push('@');
        out.push_str(renames.get(symbol).map_or(symbol, String::as_str));
        out.push_str(rest);
    }
    out
}

/// An attribute group without its `"key"="value"` members and without `convergent`, which none of these functions is.
fn without_string_attributes(line: &str) -> String {
    line.split(' ')
        .filter(|word| !word.starts_with('"') && *word != "convergent")
        .collect::<Vec<_>>()
        .join(" ")
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs one of LLVM's tools; its messages are part of the error.
fn tool(directory: &Path, name: &str, arguments: &[&std::ffi::OsStr]) -> Result<(), String> {
    let path = directory.join(name);
    let output = Command::new(&path).args(arguments).output().map_err(|error| {
        format!(
            "cannot run {}: {error}; install llvm-22, or set LLVM_SYS_221_PREFIX",
            path.display()
        )
    })?;
    if !output.status.success() {
        return Err(format!(
            "{} failed: {}",
            path.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    // A warning here (data layouts that differ, say) would be a wrong library.
    let messages = String::from_utf8_lossy(&output.stderr);
    if messages.trim().is_empty() {
        Ok(())
    } else {
        Err(format!("{} warns: {}", path.display(), messages.trim()))
    }
}
