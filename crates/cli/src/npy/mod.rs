//! Arrays in `.npy` files, NumPy's format.
//!
//! Elements are little-endian and rows stand one after another. The kernels' integers have no sign, so both of NumPy's
//! kinds of the same width fit. NumPy has no bfloat16: such arrays are of two-byte blobs, `|V2`, which is what the
//! package `ml_dtypes` writes; in NumPy `a.view(ml_dtypes.bfloat16)` gives them their meaning, `a.view('V2')` takes it.

mod error;
mod header;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

pub use error::NpyError;
pub use header::{Header, MAX_RANK};
use mytriton_ssa::Scalar;

/// Headers of plain arrays are far shorter.
const MAX_HEADER: u32 = 1 << 20;

/// An array of numbers, rows one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// What each element is, in NumPy's spelling; one that fits the kernel's type.
    pub descr: String,
    /// The extents.
    pub shape: Vec<u64>,
    /// The elements, little-endian.
    pub bytes: Vec<u8>,
}

/// NumPy's spellings of a type; the first one is written.
const fn spellings(scalar: Scalar) -> &'static [&'static str] {
    match scalar {
        Scalar::I1 => &["|b1"],
        Scalar::I8 => &["|i1", "|u1"],
        Scalar::I16 => &["<i2", "<u2"],
        Scalar::I32 => &["<i4", "<u4"],
        Scalar::I64 => &["<i8", "<u8"],
        Scalar::F16 => &["<f2"],
        Scalar::BF16 => &["|V2", "<V2"],
        Scalar::F32 => &["<f4"],
        Scalar::F64 => &["<f8"],
    }
}

/// NumPy's spellings of a type, for messages.
fn descrs_of(scalar: Scalar) -> String {
    let mut text = spellings(scalar).join(" or ");
    if scalar == Scalar::BF16 {
        text += " (numpy: a.view('V2'))";
    }
    text
}

/// The spelling under which an array of a type is written.
pub fn descr_of(scalar: Scalar) -> &'static str {
    spellings(scalar)[0]
}

/// The number of elements, if there can be so many.
pub fn element_count(shape: &[u64]) -> Option<u64> {
    // An extent of 0 makes none of any others.
    if shape.contains(&0) {
        Some(0)
    } else {
        shape
            .iter()
            .try_fold(1u64, |product, &extent| product.checked_mul(extent))
    }
}

/// Extents for messages: `19, 37`.
pub fn shape_text(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Reads an array whose elements a pointer to `scalar` can take.
pub fn read(path: &Path, scalar: Scalar) -> Result<Array, NpyError> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    // Of pipes and the like the length is not known before.
    let length = metadata.is_file().then_some(metadata.len());
    read_from(io::BufReader::new(file), length, scalar)
}

/// The type of the elements in a file.
pub fn element_type(path: &Path) -> Result<Scalar, NpyError> {
    let (header, _) = read_header(&mut io::BufReader::new(File::open(path)?))?;
    for scalar in Scalar::ALL {
        match check_type(&header, scalar) {
            Ok(()) => return Ok(scalar),
            Err(NpyError::Type { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    let descr = &header.descr;
    Err(NpyError::Header(format!(
        "it says '{descr}', and no pointer takes such elements"
    )))
}

/// Reads an array from bytes; `length` says how many there are, if that is known before.
pub fn read_from(mut reader: impl Read, length: Option<u64>, scalar: Scalar) -> Result<Array, NpyError> {
    let (header, header_length) = read_header(&mut reader)?;
    let shape = || shape_text(&header.shape);
    check_type(&header, scalar)?;
    let elements = element_count(&header.shape);
    let expected = elements.and_then(|n| n.checked_mul(u64::from(scalar.bytes())));
    let expected = expected.ok_or_else(|| NpyError::TooLarge { shape: shape() })?;
    let check = |found: u64| match found {
        _ if found < expected => Err(NpyError::Truncated {
            shape: shape(),
            expected,
            found,
        }),
        _ if found > expected => Err(NpyError::TooLong {
            shape: shape(),
            expected,
        }),
        _ => Ok(()),
    };
    let mut bytes = Vec::new();
    if let Some(length) = length {
        check(length.saturating_sub(header_length))?;
        let reserved = usize::try_from(expected)
            .ok()
            .and_then(|n| bytes.try_reserve_exact(n).ok());
        reserved.ok_or_else(|| NpyError::TooLarge { shape: shape() })?;
    }
    reader.take(expected.saturating_add(1)).read_to_end(&mut bytes)?;
    check(bytes.len() as u64)?;
    let Header { descr, shape, .. } = header;
    Ok(Array { descr, shape, bytes })
}

/// Reads the header, and gives how many bytes stand before the data.
fn read_header(reader: &mut impl Read) -> Result<(Header, u64), NpyError> {
    let mut start = [0; 8];
    exactly(reader, &mut start).map_err(|e| match e {
        NpyError::TruncatedHeader => NpyError::NotNpy,
        other => other,
    })?;
    if !start.starts_with(header::MAGIC) {
        return Err(NpyError::NotNpy);
    }
    let (length, before) = match (start[6], start[7]) {
        (1, 0) => {
            let mut length = [0; 2];
            exactly(reader, &mut length)?;
            (u32::from(u16::from_le_bytes(length)), 10)
        }
        (2 | 3, 0) => {
            let mut length = [0; 4];
            exactly(reader, &mut length)?;
            (u32::from_le_bytes(length), 12)
        }
        (major, minor) => return Err(NpyError::Version { major, minor }),
    };
    if length > MAX_HEADER {
        return Err(NpyError::Header(format!("it is {length} bytes long")));
    }
    let mut text = vec![0; length as usize];
    exactly(reader, &mut text)?;
    Ok((Header::parse(&text)?, before + u64::from(length)))
}

fn exactly(reader: &mut impl Read, buffer: &mut [u8]) -> Result<(), NpyError> {
    reader.read_exact(buffer).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => NpyError::TruncatedHeader,
        _ => NpyError::Io(e),
    })
}

fn check_type(header: &Header, scalar: Scalar) -> Result<(), NpyError> {
    let descr = &header.descr;
    // `=` is the byte order of the machine; order says nothing of single bytes.
    let spelt = |other: &str| {
        other == descr || (scalar.bytes() == 1 || descr.starts_with('=')) && descr.get(1..) == other.get(1..)
    };
    if !spellings(scalar).iter().any(|other| spelt(other)) {
        let swapped = descr.strip_prefix('>').map(|rest| format!("<{rest}"));
        return Err(match swapped {
            Some(swapped) if spellings(scalar).contains(&&*swapped) => NpyError::BigEndian { descr: descr.clone() },
            _ => NpyError::Type {
                descr: descr.clone(),
                wanted: scalar,
            },
        });
    }
    // With one long dimension at most both orders are the same.
    if header.fortran_order && header.shape.iter().filter(|&&extent| extent != 1).count() > 1 {
        return Err(NpyError::FortranOrder {
            shape: shape_text(&header.shape),
        });
    }
    Ok(())
}

/// Writes an array.
pub fn write(out: &mut dyn Write, descr: &str, shape: &[u64], bytes: &[u8]) -> io::Result<()> {
    let header = Header {
        descr: descr.to_owned(),
        fortran_order: false,
        shape: shape.to_vec(),
    };
    out.write_all(&header.to_bytes())?;
    out.write_all(bytes)
}

#[cfg(test)]
mod tests;
