//! Shared memory of a kernel: the variables that it uses, each at an offset.

use rustc_hash::FxHashMap;

use mytriton_simt::program::SharedVariable;

/// The alignment of dynamic shared memory, which launches guarantee.
const DYNAMIC_ALIGNMENT: u64 = 16;

/// The most bytes of a variable: more is in no block.
const MAX_BYTES: u64 = 1 << 24;

/// Variables that a `gpu.module` declares, by name.
pub(crate) type Globals = FxHashMap<String, Global>;

/// A variable outside kernels.
#[derive(Clone, Debug)]
pub(crate) enum Global {
    /// Of so many bytes at such an alignment in shared memory.
    Shared { bytes: u64, alignment: u64 },
    /// All dynamic shared memory.
    Dynamic { alignment: u64 },
    /// One that the executor does not know, and why.
    Unknown(String),
}

/// Where a variable of shared memory begins.
pub(crate) enum Place {
    /// At this offset.
    Static(u32),
    /// Behind all static variables.
    Dynamic,
}

/// The variables of a kernel: those that it uses, in the order of their first use.
pub(crate) struct Shared<'m> {
    globals: &'m Globals,
    offsets: FxHashMap<String, u32>,
    variables: Vec<SharedVariable>,
    bytes: u64,
    dynamic_alignment: u64,
}

impl<'m> Shared<'m> {
    pub fn new(globals: &'m Globals) -> Self {
        Shared {
            globals,
            offsets: FxHashMap::default(),
            variables: Vec::new(),
            bytes: 0,
            dynamic_alignment: DYNAMIC_ALIGNMENT,
        }
    }

    /// The place of a variable of the module; an error says why there is none.
    pub fn global(&mut self, name: &str) -> Result<Place, String> {
        if let Some(&offset) = self.offsets.get(name) {
            return Ok(Place::Static(offset));
        }
        match self.globals.get(name) {
            None => Err(format!("'@{name}' is no variable of the module")),
            Some(Global::Unknown(why)) => Err(why.clone()),
            Some(&Global::Dynamic { alignment }) => {
                self.dynamic_alignment = self.dynamic_alignment.max(alignment);
                Ok(Place::Dynamic)
            }
            Some(&Global::Shared { bytes, alignment }) => {
                let offset = self.add(name.to_owned(), bytes, alignment)?;
                self.offsets.insert(name.to_owned(), offset);
                Ok(Place::Static(offset))
            }
        }
    }

    /// A new variable's offset.
    pub fn add(&mut self, name: String, bytes: u64, alignment: u64) -> Result<u32, String> {
        if bytes > MAX_BYTES {
            return Err(format!(
                "'{name}' takes {bytes} bytes of shared memory, more than any block has"
            ));
        }
        let offset = self.bytes.checked_next_multiple_of(alignment.max(1));
        let offset = offset.and_then(|offset| u32::try_from(offset).ok());
        let offset = offset.ok_or_else(|| format!("there is no room for '{name}' in the shared memory of a block"))?;
        self.bytes = u64::from(offset) + bytes;
        self.variables.push(SharedVariable {
            name,
            offset,
            bytes: bytes as u32,
        });
        Ok(offset)
    }

    /// The variables and the bytes that they take, up to where dynamic shared memory can begin if there is any.
    pub fn finish(self, uses_dynamic: bool) -> (Vec<SharedVariable>, u32) {
        let alignment = if uses_dynamic { self.dynamic_alignment } else { 1 };
        // What does not fit is too large for any block, as a launch will say.
        let bytes = self.bytes.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        (self.variables, u32::try_from(bytes).unwrap_or(u32::MAX))
    }
}
