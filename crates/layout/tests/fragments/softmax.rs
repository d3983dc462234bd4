//! Softmax, whole and online, by the plans of the compiler.

use crate::forms;
use crate::values::Values;

/// The softmax of a row whose masked elements are -inf: p / sum, or 0 where nothing is left.
fn softmax(scores: &Values<f32>) -> Values<f32> {
    let max = scores.reduce(1, |a, b| a.max(*b)).unwrap();
    let shift = |x: &f32, m: &f32| {
        if *m == f32::NEG_INFINITY {
            f32::NEG_INFINITY
        } else {
            x - m
        }
    };
    let p = scores.zip(&max, |x, m| shift(x, m).exp()).unwrap();
    let sum = p.reduce(1, |a, b| a + b).unwrap();
    p.zip(&sum, |p, sum| if *sum == 0.0 { 0.0 } else { p / sum }).unwrap()
}

#[test]
fn masked_softmax_in_every_form() {
    for layout in forms() {
        let columns = layout.shape()[1];
        // Row 0 is whole, row 1 ends early, row 2 is masked altogether.
        let score = |row: u32, column: u32| match row % 3 {
            1 if column >= 2 => f32::NEG_INFINITY,
            2 => f32::NEG_INFINITY,
            _ => (column as f32 * 0.37).cos() * 3.0,
        };
        let p = softmax(&Values::new(&layout, |at| score(at[0], at[1])));
        for (at, &found) in p.elements() {
            let weight = |column| f64::from(score(at[0], column)).exp();
            let total: f64 = (0..columns).map(weight).sum();
            let expected = if total == 0.0 { 0.0 } else { weight(at[1]) / total };
            assert!((f64::from(found) - expected).abs() < 1e-6, "{found} for {expected}");
            assert!(at[0] % 3 != 2 || found == 0.0);
        }
    }
}

/// The state of an online softmax: the maximum so far, and the sum of exponentials relative to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    max: f32,
    sum: f32,
}

const EMPTY: State = State {
    max: f32::NEG_INFINITY,
    sum: 0.0,
};

fn merge(a: &State, b: &State) -> State {
    let max = a.max.max(b.max);
    // An empty state adds nothing; its difference to the new maximum may be no number.
    let scaled = |state: &State| {
        if state.max == f32::NEG_INFINITY {
            0.0
        } else {
            state.sum * (state.max - max).exp()
        }
    };
    State {
        max,
        sum: scaled(a) + scaled(b),
    }
}

#[test]
fn online_softmax() {
    let score = |x: f32| {
        if x == f32::NEG_INFINITY {
            EMPTY
        } else {
            State { max: x, sum: 1.0 }
        }
    };
    let two = merge(&merge(&EMPTY, &score(0.0)), &score(0.0));
    assert_eq!(two, State { max: 0.0, sum: 2.0 });
    assert_eq!(1.0 / two.sum, 0.5);
    assert_eq!(merge(&EMPTY, &EMPTY), EMPTY);
    // As a reduction of states, in every form, over a row of which some is masked.
    for layout in forms() {
        let value = |column: u32| {
            if column % 3 == 2 {
                f32::NEG_INFINITY
            } else {
                (column as f32).sqrt()
            }
        };
        let columns = layout.shape()[1];
        let states = Values::new(&layout, |at| score(value(at[1]))).reduce(1, merge).unwrap();
        let max = (0..columns).map(value).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = (0..columns).map(|column| (value(column) - max).exp()).sum();
        for state in states.threads.iter().flatten() {
            assert_eq!(state.max, max);
            assert!((state.sum - sum).abs() < 1e-5 * sum, "{state:?} for {sum}");
        }
    }
}
