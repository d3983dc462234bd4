//! The file of a compiled kernel.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | the signature `MYTRITON` |
//! | 8..12 | format version |
//! | 12..16 | length `h` of the header |
//! | 16..24 | length `c` of the code |
//! | 24..32 | FNV-1a checksum (64 bits) of bytes 8..24, the header and the code |
//! | 32..32+h | the header: everything but the code, as JSON |
//! | 32+h..32+h+c | the code: PTX text without a terminating zero, or a cubin |
//!
//! Numbers are little-endian. Nothing follows the code. The header is text so that a file says what it is to anyone who
//! looks at it; the code is not part of it because a cubin would double in size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::kernel::{Code, CompiledKernel, ParamInfo};

const SIGNATURE: &[u8; 8] = b"MYTRITON";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;
const PREFIX: usize = 32;

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum CodeKind {
    Ptx,
    Cubin,
}

/// A [`CompiledKernel`] without its code.
#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    code: CodeKind,
    target: String,
    params: Vec<ParamInfo>,
    threads: u32,
    shared_bytes: u32,
    source_hash: u64,
    compiler: String,
}

impl CompiledKernel {
    /// The bytes of the file.
    ///
    /// # Errors
    /// [`Error::Invalid`] as [`CompiledKernel::validate`] says, or when the header is longer than 4 GiB.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        self.validate()?;
        let invalid = |reason: String| Error::Invalid {
            kernel: self.name.clone(),
            reason,
        };
        let header = serde_json::to_vec(&Header {
            name: self.name.clone(),
            code: match self.code {
                Code::Ptx(_) => CodeKind::Ptx,
                Code::Cubin(_) => CodeKind::Cubin,
            },
            target: self.target.clone(),
            params: self.params.clone(),
            threads: self.threads,
            shared_bytes: self.shared_bytes,
            source_hash: self.source_hash,
            compiler: self.compiler.clone(),
        })
        .map_err(|e| invalid(e.to_string()))?;
        let header_len = u32::try_from(header.len()).map_err(|_| invalid("its header is too long".to_owned()))?;
        let code = self.code.as_bytes();
        let mut bytes = Vec::with_capacity(PREFIX + header.len() + code.len());
        bytes.extend_from_slice(SIGNATURE);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&header_len.to_le_bytes());
        bytes.extend_from_slice(&(code.len() as u64).to_le_bytes());
        let checksum = fnv1a([&bytes[8..24], &header, code]);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(code);
        Ok(bytes)
    }

    /// Reads what [`CompiledKernel::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`Error::NotAnArtefact`], [`Error::Version`], [`Error::Truncated`], [`Error::Corrupt`]; [`Error::Invalid`] when the
    /// content is intact but no kernel.
    pub fn from_bytes(bytes: &[u8]) -> Result<CompiledKernel, Error> {
        let found = bytes.len() as u64;
        let start = &bytes[..bytes.len().min(SIGNATURE.len())];
        if bytes.is_empty() || !SIGNATURE.starts_with(start) {
            return Err(Error::NotAnArtefact);
        }
        let Some((prefix, content)) = bytes.split_first_chunk::<PREFIX>() else {
            return Err(Error::Truncated {
                expected: PREFIX as u64,
                found,
            });
        };
        let version = u32_at(prefix, 8);
        if version != VERSION {
            return Err(Error::Version {
                found: version,
                supported: VERSION,
            });
        }
        let header_len = u64::from(u32_at(prefix, 12));
        let code_len = u64_at(prefix, 16);
        let expected = (PREFIX as u64 + header_len).saturating_add(code_len);
        if found < expected {
            return Err(Error::Truncated { expected, found });
        }
        if found > expected {
            return Err(corrupt(format!("it is {found} bytes long instead of {expected}")));
        }
        if fnv1a([&prefix[8..24], content]) != u64_at(prefix, 24) {
            return Err(corrupt("its checksum does not match"));
        }
        // Fits: header and code together are `content`.
        let (header, code) = content.split_at(header_len as usize);
        let header: Header = serde_json::from_slice(header).map_err(|e| corrupt(e.to_string()))?;
        let kernel = CompiledKernel {
            name: header.name,
            code: match header.code {
                CodeKind::Cubin => Code::Cubin(code.to_vec()),
                CodeKind::Ptx => match String::from_utf8(code.to_vec()) {
                    Ok(text) => Code::Ptx(text),
                    Err(_) => return Err(corrupt("its PTX is not text")),
                },
            },
            target: header.target,
            params: header.params,
            threads: header.threads,
            shared_bytes: header.shared_bytes,
            source_hash: header.source_hash,
            compiler: header.compiler,
        };
        kernel.validate()?;
        Ok(kernel)
    }

    /// Writes the file. Readers see the old file or the new one, whole: it is written beside its place and then renamed.
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`CompiledKernel::to_bytes`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let bytes = self.to_bytes()?;
        write_atomically(path, &bytes).map_err(|source| Error::Io {
            action: "write",
            path: path.to_owned(),
            source,
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`CompiledKernel::from_bytes`].
    pub fn load(path: impl AsRef<Path>) -> Result<CompiledKernel, Error> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        CompiledKernel::from_bytes(&bytes)
    }
}

fn corrupt(reason: impl Into<String>) -> Error {
    Error::Corrupt { reason: reason.into() }
}

fn u32_at(bytes: &[u8; PREFIX], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8; PREFIX], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// FNV-1a, 64 bits, over several pieces. Each step is a bijection of the state, so one changed byte is always found.
fn fnv1a<const N: usize>(pieces: [&[u8]; N]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    pieces.into_iter().flatten().fold(0xCBF2_9CE4_8422_2325, step)
}

fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.{}.new", std::process::id(), COUNTER.fetch_add(1, Relaxed)));
    let beside = path.with_file_name(beside);
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let done = written.and_then(|()| fs::rename(&beside, path));
    if done.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    done
}
