//! The most memory that the process had, on Linux.

/// Begins anew.
pub fn reset_peak() {
    // Where there is no such file, there is no peak to read either.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most bytes in memory since then; none where the system does not say.
pub fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
