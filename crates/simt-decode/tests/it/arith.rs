use crate::listed;
use crate::run::{bytes, check};

#[test]
fn numbers_and_vectors_are_computed_number_by_number() {
    let body = "
      %c = arith.constant dense<[1, -2]> : vector<2xi16>
      %v = vector.broadcast %a : i16 to vector<2xi16>
      %s = arith.addi %v, %c overflow<nsw> : vector<2xi16>
      %w = arith.extsi %s : vector<2xi16> to vector<2xi64>
      %m = arith.muli %w, %w : vector<2xi64>
      %f = arith.sitofp %m : vector<2xi64> to vector<2xbf16>
      %h = arith.constant dense<[0.5, 3.0]> : vector<2xbf16>
      %d = arith.divf %f, %h fastmath<arcp> : vector<2xbf16>
      %g = math.fma %d, %h, %f : vector<2xbf16>";
    insta::assert_snapshot!(listed("%a: i16", body), @"
    k(r0: 16)
      0 r3 = add.i16 r0, 1
      1 r4 = add.i16 r0, 65534
      2 r5 = sext.i16.i64 r3
      3 r6 = sext.i16.i64 r4
      4 r7 = mul.i64 r5, r5
      5 r8 = mul.i64 r6, r6
      6 r9 = s_to_f.i64.bf16 r7
      7 r10 = s_to_f.i64.bf16 r8
      8 r13 = div_rn.bf16 r9, 16128
      9 r14 = div_rn.bf16 r10, 16448
     10 r15 = fma.bf16 r13, 16128, r9
     11 r16 = fma.bf16 r14, 16448, r10
     12 end
    ");
}

#[test]
fn all_predicates_of_floats_are_composed() {
    let body = (0..16)
        .map(|n| {
            let predicate = [
                "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
                "uno", "true",
            ][n];
            format!(
                "%c{n} = arith.cmpf {predicate}, %fx, %fy : f64
                 %w{n} = arith.extui %c{n} : i1 to i64
                 %k{n} = arith.constant {n} : i64
                 %s{n} = arith.shli %w{n}, %k{n} : i64
                 %r{next} = arith.ori %r{n}, %s{n} : i64\n",
                next = n + 1
            )
        })
        .collect::<String>();
    let body = format!(
        "%fx = arith.bitcast %x : i64 to f64
         %fy = arith.bitcast %y : i64 to f64
         %r0 = arith.constant 0 : i64
         {}",
        body.replace("%r16 =", "%r =")
    );
    let numbers = [1.0f64, -1.0, 0.0, -0.0, f64::NAN, f64::INFINITY];
    let pairs: Vec<_> = numbers
        .iter()
        .flat_map(|x| numbers.iter().map(move |y| (x.to_bits(), y.to_bits())))
        .collect();
    check(&body, &pairs, |x, y| {
        let (x, y) = (f64::from_bits(x), f64::from_bits(y));
        let unordered = x.is_nan() || y.is_nan();
        let (equal, less, greater) = (x == y, x < y, x > y);
        let all = [
            false,
            equal,
            greater,
            greater || equal,
            less,
            less || equal,
            less || greater,
            !unordered,
            unordered || equal,
            unordered || greater,
            unordered || greater || equal,
            unordered || less,
            unordered || less || equal,
            unordered || less || greater,
            unordered,
            true,
        ];
        all.iter().enumerate().map(|(n, &holds)| u64::from(holds) << n).sum()
    });
}

/// A binary operation on 8-bit numbers.
fn of_bytes(op: &str) -> String {
    format!(
        "%x8 = arith.trunci %x : i64 to i8
         %y8 = arith.trunci %y : i64 to i8
         %r8 = arith.{op} %x8, %y8 : i8
         %r = arith.extui %r8 : i8 to i64"
    )
}

#[test]
fn divisions_round_as_they_say() {
    // -128 / -1 is left open.
    let pairs: Vec<_> = bytes()
        .into_iter()
        .map(|pair| if pair == (0x80, 0xFF) { (0x80, 1) } else { pair })
        .collect();
    let s = |x: u64| i64::from(x as u8 as i8);
    let exact = |x: u64, y: u64| s(x) as f64 / s(y) as f64;
    check(&of_bytes("ceildivui"), &pairs, |x, y| x.div_ceil(y));
    check(&of_bytes("ceildivsi"), &pairs, |x, y| {
        exact(x, y).ceil() as i64 as u8 as u64
    });
    check(&of_bytes("floordivsi"), &pairs, |x, y| {
        exact(x, y).floor() as i64 as u8 as u64
    });
    check(&of_bytes("divsi"), &pairs, |x, y| {
        exact(x, y).trunc() as i64 as u8 as u64
    });
    check(&of_bytes("remsi"), &pairs, |x, y| (s(x) % s(y)) as u8 as u64);
}

#[test]
fn extended_sums_and_products_have_two_results() {
    let extended = |op: &str, high: &str| {
        format!(
            "%x8 = arith.trunci %x : i64 to i8
             %y8 = arith.trunci %y : i64 to i8
             %l8, %h8 = arith.{op} %x8, %y8 : {high}
             %l = arith.extui %l8 : i8 to i64
             %h = arith.extui %h8 : {} to i64
             %c8 = arith.constant 8 : i64
             %hs = arith.shli %h, %c8 : i64
             %r = arith.ori %l, %hs : i64",
            high.rsplit(' ').next().unwrap()
        )
    };
    check(&extended("addui_extended", "i8, i1"), &bytes(), |x, y| x + y);
    check(&extended("mului_extended", "i8"), &bytes(), |x, y| x * y);
    let s = |x: u64| i64::from(x as u8 as i8);
    check(&extended("mulsi_extended", "i8"), &bytes(), |x, y| {
        (s(x) * s(y)) as u16 as u64
    });
}

#[test]
fn truth_values_are_signed_in_signed_operations() {
    let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let of_truths = |op: &str| {
        format!(
            "%x1 = arith.trunci %x : i64 to i1
             %y1 = arith.trunci %y : i64 to i1
             %r1 = arith.{op} %x1, %y1 : i1
             %r = arith.extui %r1 : i1 to i64"
        )
    };
    let s = |x: u64| -(x as i64);
    check(&of_truths("cmpi slt,"), &pairs, |x, y| u64::from(s(x) < s(y)));
    check(&of_truths("cmpi sge,"), &pairs, |x, y| u64::from(s(x) >= s(y)));
    check(&of_truths("cmpi ult,"), &pairs, |x, y| u64::from(x < y));
    check(&of_truths("minsi"), &pairs, |x, y| u64::from(s(x).min(s(y)) == -1));
    check(&of_truths("maxsi"), &pairs, |x, y| u64::from(s(x).max(s(y)) == -1));
    check(&of_truths("addi"), &pairs, |x, y| (x + y) & 1);
}

#[test]
fn conversions_of_truth_values_and_saturation() {
    let signed = "%x1 = arith.trunci %x : i64 to i1
                  %f = arith.sitofp %x1 : i1 to f64
                  %r = arith.bitcast %f : f64 to i64";
    check(signed, &[(0, 0), (1, 0)], |x, _| (-(x as f64) + 0.0).to_bits());
    let narrow = "%f = arith.bitcast %x : i64 to f64
                  %i = arith.fptosi %f : f64 to i8
                  %r = arith.extsi %i : i8 to i64";
    let numbers = [1.9, -1.9, 1000.0, -1000.0, f64::NAN].map(|x: f64| (x.to_bits(), 0));
    check(narrow, &numbers, |x, _| i64::from(f64::from_bits(x) as i8) as u64);
}

#[test]
fn bits_are_counted() {
    let numbers: Vec<_> = (0..64)
        .map(|n| (1u64 << n, 0))
        .chain([(0, 0), (u64::MAX, 0), (0x1234_5678, 0), (0xF0F0, 0)])
        .collect();
    for (width, all) in [(8, 0xFF), (32, 0xFFFF_FFFF), (64, u64::MAX)] {
        let of = |op: &str| {
            let (narrow, wide) = if width == 64 {
                (
                    "%n = arith.bitcast %x : i64 to i64".to_owned(),
                    "%r = arith.bitcast %c : i64 to i64".to_owned(),
                )
            } else {
                (
                    format!("%n = arith.trunci %x : i64 to i{width}"),
                    format!("%r = arith.extui %c : i{width} to i64"),
                )
            };
            format!("{narrow}\n%c = math.{op} %n : i{width}\n{wide}")
        };
        let unused = 64 - width;
        check(&of("ctpop"), &numbers, |x, _| u64::from((x & all).count_ones()));
        check(&of("ctlz"), &numbers, |x, _| {
            u64::from((x & all).leading_zeros() - unused)
        });
        check(&of("cttz"), &numbers, |x, _| {
            u64::from((x & all).trailing_zeros().min(width))
        });
    }
}

#[test]
fn floats_are_classified_and_signed() {
    let of = |op: &str| {
        format!(
            "%f = arith.bitcast %x : i64 to f64
             %c = math.{op} %f : f64
             %r = arith.extui %c : i1 to i64"
        )
    };
    let numbers = [0.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX].map(|x: f64| (x.to_bits(), 0));
    check(&of("isnan"), &numbers, |x, _| u64::from(f64::from_bits(x).is_nan()));
    check(&of("isinf"), &numbers, |x, _| {
        u64::from(f64::from_bits(x).is_infinite())
    });
    check(&of("isfinite"), &numbers, |x, _| {
        u64::from(f64::from_bits(x).is_finite())
    });
    let body = "%f = arith.bitcast %x : i64 to f64
                %g = arith.bitcast %y : i64 to f64
                %h = math.copysign %f, %g : f64
                %r = arith.bitcast %h : f64 to i64";
    let pairs = numbers.map(|(x, _)| (x, (-0.0f64).to_bits()));
    check(body, &pairs, |x, y| {
        f64::from_bits(x).copysign(f64::from_bits(y)).to_bits()
    });
}

#[test]
fn constants_of_every_type_are_read() {
    let body = "
      %0 = arith.constant dense<[true, false, true]> : vector<3xi1>
      %1 = arith.constant dense<[1, -1]> : vector<2xi8>
      %2 = arith.constant dense<[7, -7]> : vector<2xindex>
      %3 = arith.constant dense<[1.0, 0x7E01]> : vector<2xf16>
      %4 = arith.constant dense<[0x7FC00001, 2.0]> : vector<2xf32>
      %5 = arith.constant dense<[[-1.0], [0x7FF8000000000002]]> : vector<2x1xf64>
      %6 = arith.constant 0x7FC1 : bf16
      %7 = arith.constant true
      %8 = arith.constant dense<2.5> : vector<4xbf16>";
    let program = crate::decoded(&crate::kernel("", body))
        .expect("known constants")
        .remove(0);
    let bits: Vec<u64> = program
        .code
        .iter()
        .filter_map(|instr| match instr {
            mytriton_simt::program::Instr::Const { bits, .. } => Some(*bits),
            _ => None,
        })
        .collect();
    let expected = [
        1,
        0,
        0xFF,
        7,
        -7i64 as u64,
        0x3C00,
        0x7E01,
        0x7FC0_0001,
        0x4000_0000,
        (-1.0f64).to_bits(),
        0x7FF8_0000_0000_0002,
        0x7FC1,
        0x4020,
    ];
    assert_eq!(bits, expected);
}
