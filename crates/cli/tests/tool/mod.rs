//! The command-line tool in a directory of its own, for tests.
#![allow(dead_code)] // Each test program uses some of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use npyz::WriterBuilder;
use tempfile::TempDir;

/// A directory with the sample kernels, where the tool runs.
pub struct Bench {
    pub dir: TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench {
            dir: TempDir::new().unwrap(),
        };
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/kernels");
        for entry in fs::read_dir(kernels).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), bench.path(entry.file_name())).unwrap();
        }
        bench
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Bench {
        fs::write(self.path(name), content).unwrap();
        self
    }

    pub fn f32s(&self, name: &str, shape: &[u64], values: impl IntoIterator<Item = f32>) -> &Bench {
        let mut bytes = Vec::new();
        let mut writer = npyz::WriteOptions::new()
            .default_dtype()
            .shape(shape)
            .writer(&mut bytes)
            .begin_nd()
            .unwrap();
        writer.extend(values).unwrap();
        writer.finish().unwrap();
        self.file(name, bytes)
    }

    pub fn read_f32s(&self, name: &str) -> (Vec<u64>, Vec<f32>) {
        let bytes = fs::read(self.path(name)).unwrap();
        let array = npyz::NpyFile::new(&bytes[..]).unwrap();
        (array.shape().to_vec(), array.into_vec().unwrap())
    }

    /// The tool with arguments that are separated by spaces.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mytriton"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.dir.path())
            .stdin(Stdio::null());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MYTRITON_")) {
            command.env_remove(name);
        }
        command
    }

    pub fn output(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The command with its exit status and what it prints to either stream.
    pub fn says(&self, arguments: &str) -> String {
        report(arguments, &self.output(arguments))
    }

    /// What it prints when all goes well.
    pub fn prints(&self, arguments: &str) -> String {
        let output = self.output(arguments);
        assert!(output.status.success(), "{}", report(arguments, &output));
        String::from_utf8(output.stdout).unwrap()
    }
}

pub fn report(arguments: &str, output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = output
        .status
        .code()
        .map_or("a signal".to_owned(), |code| code.to_string());
    let mut report = format!(
        "$ mytriton {arguments}\n{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    if !output.status.success() {
        report += &format!("[exit status {status}]\n");
    }
    report
}

/// Snapshots of commands one after another.
#[allow(unused_macros)] // As above.
macro_rules! assert_says {
    ($bench:expr, $($arguments:expr),* $(,)?) => {
        insta::assert_snapshot!([$($bench.says($arguments)),*].join("\n"))
    };
}
