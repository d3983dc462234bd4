//! Places in the user's source.

/// A place in one of the files of a [`Kernel`](crate::Kernel): a line and a column, both counted from 1. The file is an
/// index into [`Kernel::files`](crate::Kernel::files), so that a place is small and copies freely.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Loc {
    /// Index of the file.
    pub file: u32,
    /// Line, from 1; 0 where the place is unknown.
    pub line: u32,
    /// Column, from 1; 0 where only the line is known.
    pub col: u32,
}

impl Loc {
    /// No known place.
    pub const UNKNOWN: Loc = Loc {
        file: 0,
        line: 0,
        col: 0,
    };

    /// Is the place known?
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}
