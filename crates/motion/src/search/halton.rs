//! Points that fill a cube evenly, and always the same ones.

const PRIMES: [u32; 16] = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59];

/// A Halton sequence in as many dimensions as asked for, up to 16.
#[derive(Clone, Debug)]
pub(super) struct Halton {
    next: u32,
    n: usize,
}

impl Halton {
    /// The sequence from its `skip`th point on.
    pub(super) fn new(n: usize, skip: u32) -> Self {
        Self { next: skip + 1, n }
    }

    /// The next point, each coordinate in 0..1.
    pub(super) fn point(&mut self) -> impl Iterator<Item = f64> + use<> {
        let index = self.next;
        self.next += 1;
        PRIMES
            .into_iter()
            .take(self.n)
            .map(move |b| radical_inverse(index, b))
    }
}

/// The digits of `index` in a base, mirrored at the point.
fn radical_inverse(mut index: u32, base: u32) -> f64 {
    let (mut value, mut place) = (0.0, 1.0);
    while index > 0 {
        place /= f64::from(base);
        value += place * f64::from(index % base);
        index /= base;
    }
    value
}
