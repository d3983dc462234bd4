//! NumPy's arrays as the command line reads them.

use mytriton_ssa::Scalar;

use crate::npy::{element_count, read_from, write};

/// The first byte chooses the kernel's type, the others are the file. An array that is read has as many bytes as it says,
/// and comes back when it is written.
pub fn probe(data: &[u8]) {
    let Some((&choice, file)) = data.split_first() else {
        return;
    };
    let scalar = Scalar::ALL[usize::from(choice) % Scalar::ALL.len()];
    let known = read_from(file, Some(file.len() as u64), scalar);
    let piped = read_from(file, None, scalar);
    match (known, piped) {
        (Ok(known), Ok(piped)) => {
            assert_eq!(known, piped);
            let elements = element_count(&known.shape).expect("what was read fits");
            assert_eq!(known.bytes.len() as u64, elements * u64::from(scalar.bytes()));
            let mut written = Vec::new();
            write(&mut written, &known.descr, &known.shape, &known.bytes).expect("memory takes all");
            let again = read_from(&written[..], None, scalar).expect("what was written can be read");
            assert_eq!(again, known);
        }
        (Err(known), Err(piped)) => assert_eq!(known.to_string(), piped.to_string()),
        (known, piped) => panic!("a file of known length and a pipe differ: {known:?}, {piped:?}"),
    }
}
