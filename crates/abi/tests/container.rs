//! Files of compiled kernels: written, read, damaged.

use mytriton_abi::{Code, CompiledKernel, DType, Error, ParamInfo, ParamKind};
use proptest::prelude::*;

fn kernel() -> CompiledKernel {
    CompiledKernel {
        name: "saxpy".to_owned(),
        code: Code::Ptx(".version 8.4\n.visible .entry saxpy()".to_owned()),
        target: "sm_90a".to_owned(),
        params: vec![
            ParamInfo {
                name: "x".to_owned(),
                kind: ParamKind::Pointer(DType::F32),
                divisibility: 16,
            },
            ParamInfo {
                name: "a".to_owned(),
                kind: ParamKind::Scalar(DType::BF16),
                divisibility: 1,
            },
        ],
        threads: 128,
        shared_bytes: 4096,
        source_hash: 0xFEDC_BA98_7654_3210,
        compiler: "0.1.0".to_owned(),
    }
}

#[test]
fn a_file_comes_back_as_it_was_and_replaces_the_old_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("saxpy.mtk");
    std::fs::write(&path, "something else").unwrap();
    let mut kernel = kernel();
    kernel.save(&path).unwrap();
    assert_eq!(CompiledKernel::load(&path).unwrap(), kernel);
    kernel.code = Code::Cubin(vec![0x7F, b'E', b'L', b'F', 0, 0xFF]);
    kernel.save(&path).unwrap();
    assert_eq!(CompiledKernel::load(&path).unwrap(), kernel);
    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_write_leaves_nothing_and_says_what_failed() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("no").join("saxpy.mtk");
    let error = kernel().save(&missing).unwrap_err();
    assert!(
        matches!(&error, Error::Io { action: "write", path, .. } if *path == missing),
        "{error}"
    );
    // A directory in the way: the rename fails, and the new file is removed.
    let taken = dir.path().join("taken");
    std::fs::create_dir(&taken).unwrap();
    std::fs::write(taken.join("file"), "").unwrap();
    kernel().save(&taken).unwrap_err();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    let error = CompiledKernel::load(dir.path().join("none")).unwrap_err();
    assert!(error.to_string().starts_with("cannot read '"), "{error}");
}

#[test]
fn files_of_others_and_of_other_versions_are_told_apart() {
    let bytes = kernel().to_bytes().unwrap();
    assert!(matches!(CompiledKernel::from_bytes(b""), Err(Error::NotAnArtefact)));
    assert!(matches!(
        CompiledKernel::from_bytes(b"\x7FELF and more"),
        Err(Error::NotAnArtefact)
    ));
    let mut newer = bytes.clone();
    newer[8] = 7;
    let error = CompiledKernel::from_bytes(&newer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the compiled kernel has format version 7, this build reads version 1: compile it again"
    );
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(
        CompiledKernel::from_bytes(&longer),
        Err(Error::Corrupt { .. })
    ));
}

#[test]
fn impossible_lengths_are_not_believed() {
    let mut bytes = kernel().to_bytes().unwrap();
    bytes[16..24].fill(0xFF);
    let error = CompiledKernel::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, Error::Truncated { expected: u64::MAX, .. }), "{error}");
}

#[test]
fn facts_that_no_kernel_has_are_refused() {
    type Change = fn(&mut CompiledKernel);
    let changes: [(&str, Change); 6] = [
        ("its name is empty", |k| k.name.clear()),
        ("no code", |k| k.code = Code::Cubin(Vec::new())),
        ("0 threads of a block", |k| k.threads = 0),
        ("1025 threads of a block", |k| k.threads = 1025),
        ("parameter 'a' is 12", |k| k.params[1].divisibility = 12),
        ("129 parameters", |k| k.params = vec![k.params[0].clone(); 129]),
    ];
    for (message, change) in changes {
        let mut kernel = kernel();
        change(&mut kernel);
        let error = kernel.to_bytes().unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }));
        assert!(error.to_string().contains(message), "{error}");
    }
}

proptest! {
    #[test]
    fn every_changed_byte_and_every_cut_is_found(at in any::<prop::sample::Index>(), flip in 1u8..) {
        let bytes = kernel().to_bytes().unwrap();
        let at = at.index(bytes.len());
        let mut changed = bytes.clone();
        changed[at] ^= flip;
        prop_assert!(CompiledKernel::from_bytes(&changed).is_err());
        match CompiledKernel::from_bytes(&bytes[..at]) {
            Err(Error::Truncated { .. }) => {}
            other => prop_assert!(at == 0 && matches!(other, Err(Error::NotAnArtefact)), "{:?}", other),
        }
    }
}
