//! The kernels of the suite, in groups that run in processes of their own.

mod axes;
mod control;
pub mod conversions;
mod corners;
mod elements;
pub mod layouts;
mod matrix;
mod memory;
mod rows;
mod shapes;
mod totals;

use std::fmt::Display;

use crate::case::Case;

/// Odd sizes: fewer elements than threads, than a warp, than a block; ends inside a block.
pub const SIZES: [usize; 7] = [1, 3, 17, 127, 513, 1000, 4097];

/// Makes the cases of a group. The seed is for those whose kernels are random themselves.
pub type MakeCases = Box<dyn Fn(u64) -> Result<Vec<Case>, String>>;

/// Cases that run in one process.
pub struct Group {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub cases: MakeCases,
}

impl Group {
    /// A group of fixed kernels.
    pub fn cases<E: Display>(name: impl Into<String>, make: impl Fn() -> Result<Vec<Case>, E> + 'static) -> Group {
        Group {
            name: name.into(),
            cases: Box::new(move |_| make().map_err(|error| error.to_string())),
        }
    }
}

/// All groups.
pub fn groups() -> Vec<Group> {
    let mut groups = matrix::groups();
    groups.extend(memory::groups());
    groups.extend(shapes::groups());
    groups.extend(conversions::groups());
    groups.extend(elements::groups());
    groups.extend(rows::groups());
    groups.extend(axes::groups());
    groups.extend(control::groups());
    groups.push(totals::group());
    groups.push(corners::group());
    groups
}
