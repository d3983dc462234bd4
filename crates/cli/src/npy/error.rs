//! What can be wrong with a `.npy` file.

use std::io;

use mytriton_ssa::Scalar;

/// Why a `.npy` file is of no use.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file system refused.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It does not begin as such files do.
    #[error("is no .npy file: it does not begin with \\x93NUMPY")]
    NotNpy,
    /// A format version that is not known.
    #[error("has version {major}.{minor} of the .npy format; 1.0, 2.0 and 3.0 are known")]
    Version {
        /// Its first number.
        major: u8,
        /// Its second.
        minor: u8,
    },
    /// The header is not what the format asks for.
    #[error("has a malformed header: {0}")]
    Header(String),
    /// A type of structures.
    #[error("holds structures; a kernel takes arrays of plain numbers")]
    Structured,
    /// The file ends within its header.
    #[error("is truncated: it ends within its header")]
    TruncatedHeader,
    /// The file has fewer bytes than its header says.
    #[error("is truncated: {expected} bytes of data expected for shape ({shape}), {found} are there")]
    Truncated {
        /// The extents.
        shape: String,
        /// Bytes of data by the header.
        expected: u64,
        /// Bytes of data that are there.
        found: u64,
    },
    /// The file has more bytes than its header says.
    #[error("has more data than the {expected} bytes of shape ({shape}): is it one array?")]
    TooLong {
        /// The extents.
        shape: String,
        /// Bytes of data by the header.
        expected: u64,
    },
    /// More elements than there can be.
    #[error("has shape ({shape}), which does not fit into memory")]
    TooLarge {
        /// The extents.
        shape: String,
    },
    /// Numbers with their high byte first.
    #[error("is big-endian ({descr}); numpy: a.astype(a.dtype.newbyteorder('<'))")]
    BigEndian {
        /// The type of the elements as the file says it.
        descr: String,
    },
    /// The first index is the fastest.
    #[error("is in Fortran order, shape ({shape}); kernels take rows one after another: numpy.ascontiguousarray(a)")]
    FortranOrder {
        /// The extents.
        shape: String,
    },
    /// Elements of another type than the kernel's.
    #[error("holds {} elements, ptr<{wanted}> takes {}", describe(descr), super::descrs_of(*wanted))]
    Type {
        /// The type of the elements as the file says it.
        descr: String,
        /// What the kernel's pointer points to.
        wanted: Scalar,
    },
}

/// A type as the file spells it, with NumPy's name where it is a plain number.
fn describe(descr: &str) -> String {
    let name = match descr.as_bytes() {
        [b'<' | b'>' | b'|' | b'=', kind, size @ ..] => {
            let bits = std::str::from_utf8(size)
                .ok()
                .and_then(|size| size.parse::<u32>().ok())
                .and_then(|size| size.checked_mul(8));
            let kind = match kind {
                b'b' => Some("bool"),
                b'i' => Some("int"),
                b'u' => Some("uint"),
                b'f' => Some("float"),
                b'c' => Some("complex"),
                _ => None,
            };
            kind.zip(bits)
        }
        _ => None,
    };
    match name {
        Some(("bool", _)) => format!("bool ({descr})"),
        Some((kind, bits)) => format!("{kind}{bits} ({descr})"),
        None => format!("'{}'", descr.escape_debug()),
    }
}
