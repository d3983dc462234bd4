//! Arguments of kernels on the command line.

use mytriton::abi::{DType, ParamInfo, ParamKind};
use mytriton_ssa::Scalar;

use crate::arguments::{Given, bind};
use crate::generate::Generator;
use crate::literal;
use crate::npy;

/// Every line of the text is an argument; each is read as every kind of parameter alone, and all together are given to a
/// kernel.
pub fn probe(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines: Vec<&str> = text.lines().take(8).collect();
    for line in &lines {
        if let Some(Ok(generator)) = Generator::parse(line) {
            generated(&generator);
        }
        for scalar in Scalar::ALL {
            if let Ok(value) = literal::parse(line, scalar) {
                assert_eq!(value.scalar(), scalar);
                // The same bits can be given as bits.
                let bits = format!("{:#x}", value.bits());
                assert_eq!(literal::parse(&bits, scalar), Ok(value), "{line} as {scalar}");
            }
        }
    }
    let given: Vec<Given> = lines.iter().filter_map(|line| Given::parse(line).ok()).collect();
    if let Err(error) = bind("kernel", &params(), &given) {
        assert!(!error.to_string().is_empty());
    }
}

/// What is asked for is of its size, can be written and read back, or does not fit into memory.
fn generated(generator: &Generator) {
    let scalar = generator.scalar.unwrap_or(Scalar::F32);
    // As large as memory is what a user may ask for; here it would only be slow.
    let Some(elements) = npy::element_count(&generator.shape).filter(|&elements| elements <= 1 << 10) else {
        return;
    };
    let zeros = || vec![0; elements as usize * scalar.bytes() as usize];
    let bytes = generator.random(scalar, elements as usize).expect("it is small");
    let bytes = bytes.unwrap_or_else(zeros);
    let mut file = Vec::new();
    npy::write(&mut file, npy::descr_of(scalar), &generator.shape, &bytes).expect("memory takes all");
    let array = npy::read_from(&file[..], None, scalar).expect("what was written can be read");
    assert_eq!((array.shape, array.bytes), (generator.shape.clone(), bytes));
}

fn params() -> [ParamInfo; 3] {
    [
        ("x", ParamKind::Pointer(DType::F32)),
        ("n", ParamKind::Scalar(DType::I32)),
        ("out", ParamKind::Pointer(DType::BF16)),
    ]
    .map(|(name, kind)| ParamInfo {
        name: name.to_owned(),
        kind,
        divisibility: 1,
    })
}
