//! Writing results: whole or not at all to files, and without a panic to a closed pipe.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::error::Error;

/// Writes to standard output. A reader that has seen enough and went away (`mytriton ... | head`) is no error.
pub fn print(bytes: &[u8]) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::io("write to", "standard output", e)),
        _ => Ok(()),
    }
}

/// Writes a file so that readers see the old one or the new one, whole: beside its place, then renamed. What is there
/// but is no regular file (a device, a pipe) is written to as it is.
pub fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let failed = |e| Error::io("write", path.display(), e);
    // Through links: they stay, and what they name is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let metadata = target.metadata().ok();
    if metadata.as_ref().is_some_and(|m| !m.is_file() && !m.is_dir()) {
        let mut file = io::BufWriter::new(std::fs::File::create(&target).map_err(failed)?);
        return fill(&mut file).and_then(|()| file.flush()).map_err(failed);
    }
    let directory = target
        .parent()
        .filter(|d| !d.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        // As any new file (the process's mask applies), or as the one that is replaced.
        let mode = metadata.map_or(0o666, |m| m.mode() & 0o777);
        temporary.permissions(std::fs::Permissions::from_mode(mode));
    }
    let file = temporary.prefix(".mytriton-").tempfile_in(directory);
    let mut file = file.map_err(|e| {
        // Without the temporary file's name, which says nothing to anyone.
        let text = e.to_string();
        let reason = text.split_once(" at path ").map_or(text.as_str(), |(reason, _)| reason);
        Error::new(format!("cannot write {}: {reason}", path.display()))
    })?;
    let mut buffered = io::BufWriter::new(file.as_file_mut());
    fill(&mut buffered).and_then(|()| buffered.flush()).map_err(failed)?;
    drop(buffered);
    file.persist(&target).map_err(|e| failed(e.error))?;
    Ok(())
}
