use npyz::WriterBuilder;
use proptest::prelude::*;

use super::*;

fn file(descr: &str, fortran_order: bool, shape: &[u64], data: &[u8]) -> Vec<u8> {
    let mut bytes = Header {
        descr: descr.to_owned(),
        fortran_order,
        shape: shape.to_vec(),
    }
    .to_bytes();
    bytes.extend(data);
    bytes
}

/// What is said of a file, of known length and as a pipe; both must agree.
fn read_both(bytes: &[u8], scalar: Scalar) -> Result<Array, String> {
    let known = read_from(bytes, Some(bytes.len() as u64), scalar).map_err(|e| e.to_string());
    let piped = read_from(bytes, None, scalar).map_err(|e| e.to_string());
    assert_eq!(known, piped);
    known
}

#[test]
fn every_type_takes_what_numpy_has_for_it() {
    for (scalar, descrs) in [
        (Scalar::I1, &["|b1"][..]),
        (Scalar::I8, &["|i1", "|u1", "<i1"]),
        (Scalar::I16, &["<i2", "<u2", "=i2"]),
        (Scalar::I32, &["<i4", "<u4"]),
        (Scalar::I64, &["<i8", "<u8"]),
        (Scalar::F16, &["<f2"]),
        (Scalar::BF16, &["|V2", "<V2"]),
        (Scalar::F32, &["<f4"]),
        (Scalar::F64, &["<f8"]),
    ] {
        for descr in descrs {
            let data = vec![1; 3 * scalar.bytes() as usize];
            let array = read_both(&file(descr, false, &[3], &data), scalar).unwrap();
            assert_eq!((array.descr.as_str(), array.bytes), (*descr, data));
        }
        let others = ["|b1", "|i1", "<u2", "<i4", "<u8", "<f2", "|V2", "<f4", "<f8"];
        for other in others.iter().filter(|other| !descrs.contains(other)) {
            assert!(
                read_both(&file(other, false, &[0], &[]), scalar).is_err(),
                "{other} as {scalar}"
            );
        }
    }
}

#[test]
fn says_what_is_wrong_with_a_file() {
    let says = |bytes: &[u8]| read_both(bytes, Scalar::F32).unwrap_err();
    insta::assert_snapshot!(says(b""), @r"is no .npy file: it does not begin with \x93NUMPY");
    insta::assert_snapshot!(says(b"PK\x03\x04 a zip file"), @r"is no .npy file: it does not begin with \x93NUMPY");
    insta::assert_snapshot!(says(b"\x93NUMPY\x04\x00..."), @"has version 4.0 of the .npy format; 1.0, 2.0 and 3.0 are known");
    insta::assert_snapshot!(says(b"\x93NUMPY\x01\x00\x76\x00{'descr'"), @"is truncated: it ends within its header");
    insta::assert_snapshot!(
        says(b"\x93NUMPY\x02\x00\xff\xff\xff\xff"),
        @"has a malformed header: it is 4294967295 bytes long"
    );
    insta::assert_snapshot!(
        says(&file("<f8", false, &[2], &[0; 16])),
        @"holds float64 (<f8) elements, ptr<f32> takes <f4"
    );
    insta::assert_snapshot!(
        says(&file("|O", false, &[2], &[0; 16])),
        @"holds '|O' elements, ptr<f32> takes <f4"
    );
    // No number has as many bits as can be counted.
    insta::assert_snapshot!(
        says(&file("<f536870912", false, &[2], &[0; 16])),
        @"holds '<f536870912' elements, ptr<f32> takes <f4"
    );
    insta::assert_snapshot!(
        says(&file("<f99999999999", false, &[2], &[0; 16])),
        @"holds '<f99999999999' elements, ptr<f32> takes <f4"
    );
    insta::assert_snapshot!(
        read_both(&file("<u2", false, &[2], &[0; 4]), Scalar::BF16).unwrap_err(),
        @"holds uint16 (<u2) elements, ptr<bf16> takes |V2 or <V2 (numpy: a.view('V2'))"
    );
    insta::assert_snapshot!(
        says(&file(">f4", false, &[2], &[0; 8])),
        @"is big-endian (>f4); numpy: a.astype(a.dtype.newbyteorder('<'))"
    );
    insta::assert_snapshot!(
        says(&file("<f4", true, &[2, 3], &[0; 24])),
        @"is in Fortran order, shape (2, 3); kernels take rows one after another: numpy.ascontiguousarray(a)"
    );
    insta::assert_snapshot!(
        says(&file("<f4", false, &[2, 3], &[0; 20])),
        @"is truncated: 24 bytes of data expected for shape (2, 3), 20 are there"
    );
    insta::assert_snapshot!(
        says(&file("<f4", false, &[u64::MAX, 3], &[])),
        @"has shape (18446744073709551615, 3), which does not fit into memory"
    );
    insta::assert_snapshot!(
        says(&file("<f4", false, &[2, 3], &[0; 25])),
        @"has more data than the 24 bytes of shape (2, 3): is it one array?"
    );
}

#[test]
fn column_vectors_have_no_order() {
    assert!(read_both(&file("<f4", true, &[1, 5], &[0; 20]), Scalar::F32).is_ok());
    assert!(read_both(&file("<f4", true, &[], &[0; 4]), Scalar::F32).is_ok());
}

proptest! {
    /// Another implementation reads what is written here, and the other way round.
    #[test]
    fn npyz_agrees(shape in prop::collection::vec(0u64..5, 0..4), seed: f32) {
        let elements = element_count(&shape).unwrap();
        let numbers: Vec<f32> = (0..elements).map(|i| seed * i as f32).collect();
        let data: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();

        let mut ours = Vec::new();
        write(&mut ours, descr_of(Scalar::F32), &shape, &data).unwrap();
        let theirs = npyz::NpyFile::new(&ours[..]).unwrap();
        prop_assert_eq!(theirs.shape(), &shape[..]);
        prop_assert_eq!(theirs.order(), npyz::Order::C);
        let bits = |numbers: Vec<f32>| numbers.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        prop_assert_eq!(bits(theirs.into_vec().unwrap()), bits(numbers.clone()));

        let mut theirs = Vec::new();
        let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(&mut theirs).begin_nd().unwrap();
        writer.extend(numbers).unwrap();
        writer.finish().unwrap();
        let array = read_both(&theirs, Scalar::F32).unwrap();
        prop_assert_eq!((array.shape, array.bytes), (shape, data));
    }

    /// Whatever byte of a file is changed or wherever it ends, the answer is an array or an error.
    #[test]
    fn damage_is_an_answer(at in 0usize..140, value: u8, end in 0usize..140) {
        let mut bytes = file("<f4", false, &[3], &[7; 12]);
        let at = at % bytes.len();
        bytes[at] = value;
        bytes.truncate(end);
        let _ = read_both(&bytes, Scalar::F32);
    }
}
