//! Facts of a state, one bit each.

/// As many bits as a problem has facts that are not places.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// So many, none of them set. States of one problem have equally many.
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
