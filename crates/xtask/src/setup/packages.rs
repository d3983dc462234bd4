//! The Debian packages: which are needed and why, which are missing, and their installation.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Changes;
use crate::process;
use crate::project::{LLVM_PREFIX, LLVM_PREFIX_VARIABLES};

/// A system package and what it is needed for.
struct Needed {
    name: &'static str,
    purpose: &'static str,
}

const fn needed(name: &'static str, purpose: &'static str) -> Needed {
    Needed { name, purpose }
}

const PACKAGES: &[Needed] = &[
    needed("g++", "compiles the tile dialect"),
    needed("libmlir-22-dev", "MLIR: libraries, headers and definition files"),
    needed(
        "mlir-22-tools",
        "mlir-tblgen, which generates the dialect's code and reference",
    ),
    needed("llvm-22-dev", "LLVM: libraries and headers"),
    needed("llvm-22-tools", "lit and FileCheck, which run the IR tests"),
    needed("libclang-22-dev", "reads the C headers of MLIR for the Rust bindings"),
    needed(
        "libpolly-22-dev",
        "named among LLVM's own libraries, so linking asks for it",
    ),
    needed("zlib1g-dev", "LLVM links it"),
    needed("libzstd-dev", "LLVM links it"),
    needed("libclc-22", "mathematical functions for GPUs as LLVM bitcode"),
    needed("python3", "runs lit"),
    needed(
        "python3-venv",
        "holds the parts of the CUDA toolkit that the tests need",
    ),
];

/// Installs what is missing.
pub(super) fn install(changes: &Changes) -> Result<()> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    if let Err(found) = known_system(&release) {
        bail!("{}", advice(&found));
    }
    let missing = missing(&installed()?);
    if missing.is_empty() {
        println!("system: all {} packages are there", PACKAGES.len());
        return Ok(());
    }
    println!("system: {} of {} packages are missing:", missing.len(), PACKAGES.len());
    for package in &missing {
        println!("  {:<16} {}", package.name, package.purpose);
    }
    let privilege = Privilege::detect(changes.dry_run)?;
    changes.run(&mut privilege.apt_get(&["update"]))?;
    if !changes.dry_run {
        check_candidates(&missing)?;
    }
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(missing.iter().map(|package| package.name));
    changes.run(&mut privilege.apt_get(&arguments))
}

/// `Err` describes a system that is not Debian 12 or later.
fn known_system(os_release: &str) -> Result<(), String> {
    let fields: BTreeMap<&str, &str> = os_release
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.trim(), value.trim().trim_matches('"')))
        .collect();
    let name = fields
        .get("PRETTY_NAME")
        .copied()
        .unwrap_or("an unknown system")
        .to_owned();
    if fields.get("ID") != Some(&"debian") {
        return Err(name);
    }
    // Testing and unstable carry no number.
    match fields.get("VERSION_ID").map(|version| version.parse::<u32>()) {
        None => Ok(()),
        Some(Ok(version)) if version >= 12 => Ok(()),
        Some(_) => Err(name),
    }
}

fn advice(found: &str) -> String {
    let mut text = format!(
        "this is {found}; setup knows Debian 12 and later.\n\
         Elsewhere, install LLVM and MLIR 22 (static libraries, headers, mlir-tblgen, lit, FileCheck), libclang 22,\n\
         libclc 22, a C++17 compiler, zlib, zstd and Python 3 with venv. On Debian these are:\n"
    );
    for package in PACKAGES {
        text.push_str(&format!("  {:<16} {}\n", package.name, package.purpose));
    }
    text.push_str(&format!(
        "Then set {} to the prefix of that LLVM\n(.cargo/config.toml has Debian's, {LLVM_PREFIX}), \
         and run `cargo xtask setup --no-system` for the rest.",
        LLVM_PREFIX_VARIABLES.join(", ")
    ));
    text
}

/// What dpkg says about the needed packages: `<status> <name>` a line. Unknown names are left out.
fn installed() -> Result<String> {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${db:Status-Status} ${Package}\\n"]);
    query.args(PACKAGES.iter().map(|package| package.name));
    // It fails when it does not know one of the names; what it prints on the others still holds.
    let output = query
        .stderr(Stdio::null())
        .output()
        .context("cannot start `dpkg-query`")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn missing(dpkg: &str) -> Vec<&'static Needed> {
    let there = |name| {
        dpkg.lines()
            .any(|line| line.split_once(' ') == Some(("installed", name)))
    };
    PACKAGES.iter().filter(|package| !there(package.name)).collect()
}

/// Says which package the machine's sources do not have, before apt-get does so less clearly.
fn check_candidates(missing: &[&Needed]) -> Result<()> {
    let mut policy = Command::new("apt-cache");
    policy
        .arg("policy")
        .args(missing.iter().map(|package| package.name))
        .env("LC_ALL", "C");
    let text = process::capture(&mut policy)?;
    let absent: Vec<&str> = missing
        .iter()
        .map(|package| package.name)
        .filter(|name| !has_candidate(&text, name))
        .collect();
    if !absent.is_empty() {
        bail!(
            "this machine's package sources do not have {}.\nDebian 12 has LLVM 22 in its security archive: enable \
             `bookworm-security main` in /etc/apt/sources.list, or install LLVM 22 by other means and run \
             `cargo xtask setup --no-system`",
            absent.join(", ")
        );
    }
    Ok(())
}

/// Reads `apt-cache policy`: a line `name:`, then indented facts.
fn has_candidate(policy: &str, name: &str) -> bool {
    let mut lines = policy
        .lines()
        .skip_while(|line| line.strip_suffix(':') != Some(name))
        .skip(1);
    lines
        .by_ref()
        .take_while(|line| line.starts_with(' '))
        .filter_map(|line| line.trim().strip_prefix("Candidate: "))
        .any(|candidate| candidate != "(none)")
}

/// How apt-get is given the rights it needs.
enum Privilege {
    Root,
    Sudo,
}

impl Privilege {
    fn detect(dry_run: bool) -> Result<Self> {
        if process::capture(Command::new("id").arg("--user"))?.trim() == "0" {
            return Ok(Self::Root);
        }
        if dry_run || process::succeeds(Command::new("sudo").arg("--version")) {
            return Ok(Self::Sudo);
        }
        bail!(
            "installing packages needs root's rights, and there is no sudo here; run `cargo xtask setup` once as root"
        )
    }

    fn apt_get(&self, arguments: &[&str]) -> Command {
        // sudo drops the variable unless it is set behind it.
        let words = match self {
            Self::Root => &["env"][..],
            Self::Sudo => &["sudo", "env"][..],
        };
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .args(["DEBIAN_FRONTEND=noninteractive", "apt-get"])
            .args(arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_debian_from_twelve_on() {
        let debian = |version: &str| format!("PRETTY_NAME=\"Debian GNU/Linux\"\nID=debian\n{version}");
        assert_eq!(known_system(&debian("VERSION_ID=\"12\"\n")), Ok(()));
        assert_eq!(known_system(&debian("VERSION_ID=\"13\"\n")), Ok(()));
        assert_eq!(known_system(&debian("")), Ok(()), "testing and unstable have no number");
        assert_eq!(
            known_system(&debian("VERSION_ID=\"11\"\n")),
            Err("Debian GNU/Linux".to_owned())
        );
        let ubuntu = "PRETTY_NAME=\"Ubuntu 24.04\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n";
        assert_eq!(known_system(ubuntu), Err("Ubuntu 24.04".to_owned()));
        assert_eq!(known_system(""), Err("an unknown system".to_owned()));
    }

    #[test]
    fn advice_lists_packages_and_variables() {
        let text = advice("Plan 9");
        assert!(text.starts_with("this is Plan 9;"));
        assert!(PACKAGES.iter().all(|package| text.contains(package.name)));
        assert!(LLVM_PREFIX_VARIABLES.iter().all(|name| text.contains(name)));
    }

    #[test]
    fn missing_are_those_not_fully_installed() {
        let all: String = PACKAGES
            .iter()
            .map(|package| format!("installed {}\n", package.name))
            .collect();
        assert!(missing(&all).is_empty());
        let removed = all
            .replace("installed g++", "config-files g++")
            .replace("installed libclc-22\n", "");
        let names: Vec<_> = missing(&removed).iter().map(|package| package.name).collect();
        assert_eq!(names, ["g++", "libclc-22"]);
    }

    #[test]
    fn reads_candidates_of_the_right_package() {
        let policy = "llvm-22-dev:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n\
                      g++:\n  Installed: (none)\n  Candidate: 4:12.2.0-3\n";
        assert!(!has_candidate(policy, "llvm-22-dev"));
        assert!(has_candidate(policy, "g++"));
        assert!(!has_candidate(policy, "absent"));
    }

    #[test]
    fn sudo_passes_the_variable_on() {
        assert_eq!(
            process::display(&Privilege::Sudo.apt_get(&["update"])),
            "sudo env DEBIAN_FRONTEND=noninteractive apt-get update"
        );
        assert_eq!(
            process::display(&Privilege::Root.apt_get(&["update"])),
            "env DEBIAN_FRONTEND=noninteractive apt-get update"
        );
    }
}
