//! What a variable of a kernel may hold: one value, or a tuple of them.

use crate::builder::KernelBuilder;
use crate::expr::{Expr, Repr};

/// A value of staging code: an [`Expr`], or a tuple of such values. Loops and branches carry its leaves one by one.
pub trait Staged<'k> {
    /// Appends the expressions that this consists of.
    fn leaves<'a>(&'a mut self, out: &mut Vec<&'a mut Expr<'k>>);

    /// A value all of whose leaves are poison.
    fn poison(k: &'k KernelBuilder) -> Self
    where
        Self: Sized;
}

impl<'k> Staged<'k> for Expr<'k> {
    fn leaves<'a>(&'a mut self, out: &mut Vec<&'a mut Expr<'k>>) {
        out.push(self);
    }

    fn poison(k: &'k KernelBuilder) -> Self {
        Expr::new(k, Repr::Poison)
    }
}

impl<'k, T: Staged<'k>, const N: usize> Staged<'k> for [T; N] {
    fn leaves<'a>(&'a mut self, out: &mut Vec<&'a mut Expr<'k>>) {
        self.iter_mut().for_each(|e| e.leaves(out));
    }

    fn poison(k: &'k KernelBuilder) -> Self {
        std::array::from_fn(|_| T::poison(k))
    }
}

macro_rules! staged_tuple {
    ($($name:ident $index:tt),*) => {
        impl<'k, $($name: Staged<'k>),*> Staged<'k> for ($($name,)*) {
            #[allow(unused_variables)]
            fn leaves<'a>(&'a mut self, out: &mut Vec<&'a mut Expr<'k>>) {
                $(self.$index.leaves(out);)*
            }

            #[allow(unused_variables, clippy::unused_unit)]
            fn poison(k: &'k KernelBuilder) -> Self {
                ($($name::poison(k),)*)
            }
        }
    };
}

staged_tuple!();
staged_tuple!(A 0);
staged_tuple!(A 0, B 1);
staged_tuple!(A 0, B 1, C 2);
staged_tuple!(A 0, B 1, C 2, D 3);
staged_tuple!(A 0, B 1, C 2, D 3, E 4);
staged_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
staged_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
staged_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// The leaves of several variables, each with a name for messages: the variable's, with `.0`, `.1` ... for tuples.
pub(crate) fn named_leaves<'a, 'k>(
    names: &[&str],
    vars: &'a mut [&mut dyn Staged<'k>],
) -> Vec<(String, &'a mut Expr<'k>)> {
    let mut named = Vec::new();
    for (i, var) in vars.iter_mut().enumerate() {
        let mut leaves = Vec::new();
        var.leaves(&mut leaves);
        let single = leaves.len() == 1;
        let name = names.get(i).copied().unwrap_or("value");
        for (j, leaf) in leaves.into_iter().enumerate() {
            let name = if single { name.to_owned() } else { format!("{name}.{j}") };
            named.push((name, leaf));
        }
    }
    named
}

/// The leaves of one value.
pub(crate) fn leaves_of<'a, 'k>(value: &'a mut dyn Staged<'k>) -> Vec<&'a mut Expr<'k>> {
    let mut leaves = Vec::new();
    value.leaves(&mut leaves);
    leaves
}
