//! Equality of kernels up to the numbers of their ids.

use std::collections::HashMap;

use mytriton_ssa::{Kernel, RegionId, ValueId};

/// Panics with the place of the first difference. Names of values do not count; places do if asked for.
pub fn assert_same(a: &Kernel, b: &Kernel, locations: bool) {
    assert_eq!(a.name, b.name);
    assert_eq!(a.params().len(), b.params().len());
    let mut same = Same {
        a,
        b,
        locations,
        values: HashMap::new(),
    };
    for (p, q) in a.params().iter().zip(b.params()) {
        assert_eq!((&p.name, p.divisibility), (&q.name, q.divisibility));
        same.define(p.value, q.value);
    }
    if locations {
        assert_eq!(a.describe_loc(a.loc), b.describe_loc(b.loc));
    }
    same.region(a.body(), b.body());
}

struct Same<'a> {
    a: &'a Kernel,
    b: &'a Kernel,
    locations: bool,
    values: HashMap<ValueId, ValueId>,
}

impl Same<'_> {
    fn define(&mut self, x: ValueId, y: ValueId) {
        assert_eq!(self.a.ty(x), self.b.ty(y));
        self.values.insert(x, y);
    }

    fn region(&mut self, a: RegionId, b: RegionId) {
        let (a, b) = (self.a.region(a), self.b.region(b));
        assert_eq!((a.args.len(), a.ops.len()), (b.args.len(), b.ops.len()));
        for (&x, &y) in a.args.iter().zip(&b.args) {
            self.define(x, y);
        }
        for (&p, &q) in a.ops.iter().zip(&b.ops) {
            // Made on failure alone: it names every value.
            let text = || self.a.describe_op(p);
            let (p, q) = (self.a.op(p), self.b.op(q));
            assert_eq!(p.kind, q.kind, "{}", text());
            let operands: Vec<ValueId> = p.operands.iter().map(|v| self.values[v]).collect();
            assert_eq!(operands, q.operands.to_vec(), "{}", text());
            if self.locations {
                assert_eq!(self.a.describe_loc(p.loc), self.b.describe_loc(q.loc), "{}", text());
            }
            assert_eq!(
                (p.regions.len(), p.results.len()),
                (q.regions.len(), q.results.len()),
                "{}",
                text()
            );
            for (&x, &y) in p.regions.iter().zip(&q.regions) {
                self.region(x, y);
            }
            for (&x, &y) in p.results.iter().zip(&q.results) {
                self.define(x, y);
            }
        }
    }
}
