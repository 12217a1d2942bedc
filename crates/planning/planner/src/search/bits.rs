//! Facts of a state, one bit each.

/// Bit set for the facts of a problem that are not locations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// Creates a set without any bit. All states of a problem have the same length.
    pub(crate) fn new(n_bits: u32) -> Self {
        Self(vec![0; n_bits.div_ceil(u64::BITS) as usize])
    }

    pub(crate) fn has(&self, bit: u32) -> bool {
        self.0[(bit / u64::BITS) as usize] & Self::mask(bit) != 0
    }

    pub(crate) fn set(&mut self, bit: u32, on: bool) {
        let word = &mut self.0[(bit / u64::BITS) as usize];
        match on {
            true => *word |= Self::mask(bit),
            false => *word &= !Self::mask(bit),
        }
    }

    fn mask(bit: u32) -> u64 {
        1 << (bit % u64::BITS)
    }
}
