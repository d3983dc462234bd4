//! Names of layout dimensions.

use std::borrow::Cow;
use std::fmt;

const OUTS: [&str; 8] = ["dim0", "dim1", "dim2", "dim3", "dim4", "dim5", "dim6", "dim7"];
const INS: [&str; 5] = ["register", "lane", "warp", "block", "offset"];

/// The name of an input or output dimension of a layout.
///
/// The usual names are compile-time constants, so that cloning a layout in the compiler allocates nothing.
///
/// ```
/// use mytriton_layout::Dim;
/// assert_eq!(Dim::from("lane"), Dim::LANE);
/// assert_eq!(Dim::out(1).as_str(), "dim1");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dim(Cow<'static, str>);

impl Dim {
    /// `register`: a slot of one thread's share of a tile.
    pub const REGISTER: Dim = Dim(Cow::Borrowed("register"));
    /// `lane`: a thread within its warp.
    pub const LANE: Dim = Dim(Cow::Borrowed("lane"));
    /// `warp`: a warp within its thread block.
    pub const WARP: Dim = Dim(Cow::Borrowed("warp"));
    /// `block`: a thread block within its cluster.
    pub const BLOCK: Dim = Dim(Cow::Borrowed("block"));
    /// `offset`: an element of a shared-memory buffer.
    pub const OFFSET: Dim = Dim(Cow::Borrowed("offset"));

    /// The standard name of tensor dimension `axis`: `dim0`, `dim1`, ...
    pub fn out(axis: usize) -> Dim {
        match OUTS.get(axis) {
            Some(name) => Dim(Cow::Borrowed(name)),
            None => Dim(Cow::Owned(format!("dim{axis}"))),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tensor axis that this name stands for (`dim3` is 3), or `None` for other names.
    pub fn axis(&self) -> Option<usize> {
        let digits = self.0.strip_prefix("dim")?;
        let axis = digits.parse().ok()?;
        (Dim::out(axis) == *self).then_some(axis)
    }
}

impl From<&str> for Dim {
    fn from(name: &str) -> Self {
        match INS.iter().chain(&OUTS).find(|known| **known == name) {
            Some(known) => Dim(Cow::Borrowed(known)),
            None => Dim(Cow::Owned(name.to_owned())),
        }
    }
}

impl From<String> for Dim {
    fn from(name: String) -> Self {
        Dim(Cow::Owned(name))
    }
}

impl From<&Dim> for Dim {
    fn from(name: &Dim) -> Self {
        name.clone()
    }
}

impl PartialEq<str> for Dim {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Dim {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_reads_only_canonical_names() {
        assert_eq!(Dim::from("dim0").axis(), Some(0));
        assert_eq!(Dim::from("dim12").axis(), Some(12));
        assert_eq!(Dim::from("dim01").axis(), None);
        assert_eq!(Dim::from("dim+1").axis(), None);
        assert_eq!(Dim::from("dimension").axis(), None);
        assert_eq!(Dim::LANE.axis(), None);
    }
}
