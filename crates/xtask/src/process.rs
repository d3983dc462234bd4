//! Running other programs: what runs is shown first, and a failure says which program failed and how.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// The command as one would type it, without its environment.
pub fn display(command: &Command) -> String {
    // Cargo tells this program the full path of itself; nobody types that.
    let program = match Path::new(command.get_program()).file_name() {
        Some(name) if name == "cargo" => name,
        _ => command.get_program(),
    };
    let words = std::iter::once(program).chain(command.get_args());
    words
        .map(|word| quote(&word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The word as a shell reads it back.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Runs the command with this process's input and output.
///
/// # Errors
/// The program is not there, or ends with anything but success.
pub fn run(command: &mut Command) -> Result<()> {
    announce(command);
    let status = command.status().with_context(|| cannot_start(command))?;
    check(command, status)
}

/// Runs the command and returns what it wrote to its standard output; its errors pass through.
///
/// # Errors
/// As [`run`], or the output is not UTF-8.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| cannot_start(command))?;
    check(command, output.status)?;
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed bytes that are not UTF-8", display(command)))
}

/// Whether the command starts and succeeds; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs the command, passing its standard output on line by line, and keeps the lines that `wanted` picks.
/// They are kept in `kept` so that they are there also when the command fails.
///
/// # Errors
/// As [`run`].
pub fn run_keeping(command: &mut Command, kept: &mut Vec<String>, wanted: impl Fn(&str) -> bool) -> Result<()> {
    announce(command);
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(command))?;
    let stdout = child.stdout.take().context("the child's output was not captured")?;
    for line in BufReader::new(stdout).split(b'\n') {
        // Tests may print anything; a line that is not UTF-8 must not end the run.
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        if wanted(&line) {
            kept.push(line.trim_end().to_owned());
        }
    }
    let status = child.wait()?;
    check(command, status)
}

fn announce(command: &Command) {
    println!("$ {}", display(command));
    // The child writes to the same place; what is buffered here has to come before it.
    let _ = std::io::stdout().flush();
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", command.get_program().to_string_lossy())
}

fn check(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("`{}` failed ({status})", display(command));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn quotes_only_what_a_shell_would_split() {
        let mut command = Command::new("tar");
        command.args(["-I", "xz -1 -T0", "it's", "plain-word"]);
        assert_eq!(display(&command), r"tar -I 'xz -1 -T0' 'it'\''s' plain-word");
        assert_eq!(display(Command::new("some/where/cargo").arg("test")), "cargo test");
    }

    #[test]
    fn failure_names_the_command_and_the_status() {
        let error = run(&mut shell("exit 3")).unwrap_err().to_string();
        assert!(error.contains("sh -c 'exit 3'") && error.contains('3'), "{error}");
        let error = format!("{:#}", run(&mut Command::new("no-such-program-here")).unwrap_err());
        assert!(error.contains("cannot start `no-such-program-here`"), "{error}");
    }

    #[test]
    fn keeps_picked_lines_even_when_the_command_fails() {
        let mut kept = Vec::new();
        let result = run_keeping(
            &mut shell("echo one; printf 'test \\377\\n'; echo two; exit 1"),
            &mut kept,
            |line| line.starts_with('t'),
        );
        assert!(result.is_err());
        assert_eq!(kept, ["test \u{fffd}", "two"]);
    }
}
