//! Launch arguments as the driver takes them: an array of pointers to values.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use mytriton_abi::MAX_PARAMS;

/// The arguments of one launch, on the stack: a slot of 8 bytes for each.
///
/// The driver reads as many bytes of a slot as the parameter has. Values stand at the slot's start, little-endian, so a
/// slot serves parameters of every width.
pub struct Params {
    // Not initialised beyond `len`: clearing a kilobyte for each launch would cost more than the rest of it.
    slots: [MaybeUninit<u64>; MAX_PARAMS],
    len: usize,
}

impl Params {
    /// No arguments yet.
    #[inline]
    pub fn new() -> Params {
        Params {
            slots: [MaybeUninit::uninit(); MAX_PARAMS],
            len: 0,
        }
    }

    /// Adds an argument: an address, or the bits of a number with the upper ones zero. Says whether there was room, which
    /// there is for [`MAX_PARAMS`].
    #[inline]
    #[must_use]
    pub fn push(&mut self, bits: u64) -> bool {
        let Some(slot) = self.slots.get_mut(self.len) else {
            return false;
        };
        *slot = MaybeUninit::new(bits.to_le());
        self.len += 1;
        true
    }

    /// How many arguments there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Are there none?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Calls `f` with the array of pointers to the values, which is valid during the call.
    #[inline]
    pub(crate) fn with_pointers<R>(&mut self, f: impl FnOnce(*mut *mut c_void) -> R) -> R {
        let mut pointers = [MaybeUninit::<*mut c_void>::uninit(); MAX_PARAMS];
        for (pointer, slot) in pointers.iter_mut().zip(&mut self.slots[..self.len]) {
            *pointer = MaybeUninit::new(slot.as_mut_ptr().cast());
        }
        f(pointers.as_mut_ptr().cast())
    }
}

impl Default for Params {
    fn default() -> Params {
        Params::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_the_values_at_their_own_width() {
        let mut params = Params::new();
        for bits in [
            0x1122_3344_5566_7788,
            u64::from(2.5f32.to_bits()),
            1,
            u64::from((-3i16) as u16),
        ] {
            assert!(params.push(bits));
        }
        assert_eq!(params.len(), 4);
        params.with_pointers(|pointers| {
            // SAFETY: there are four pointers, each to an initialised slot of 8 bytes, aligned for all of these types.
            unsafe {
                assert_eq!((*pointers.add(0)).cast::<u64>().read(), 0x1122_3344_5566_7788);
                assert_eq!((*pointers.add(1)).cast::<f32>().read(), 2.5);
                assert_eq!((*pointers.add(2)).cast::<u8>().read(), 1);
                assert_eq!((*pointers.add(3)).cast::<i16>().read(), -3);
            }
        });
    }

    #[test]
    fn there_is_room_for_the_most_parameters_and_no_more() {
        let mut params = Params::new();
        assert!(params.is_empty());
        for i in 0..MAX_PARAMS as u64 {
            assert!(params.push(i));
        }
        assert!(!params.push(0));
        assert_eq!(params.len(), MAX_PARAMS);
        params.with_pointers(|pointers| {
            // SAFETY: there are MAX_PARAMS pointers, each to an initialised slot.
            let last = unsafe { (*pointers.add(MAX_PARAMS - 1)).cast::<u64>().read() };
            assert_eq!(last, MAX_PARAMS as u64 - 1);
        });
    }
}
