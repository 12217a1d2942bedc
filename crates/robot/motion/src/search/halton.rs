//! Deterministic points that fill a cube evenly.

const PRIMES: [u32; 16] = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59];

/// Halton sequence in up to 16 dimensions.
#[derive(Clone, Debug)]
pub(super) struct Halton {
    digits: Vec<Digits>,
}

/// One coordinate: the lowest digit of the index, and the value of the other digits.
#[derive(Clone, Copy, Debug)]
struct Digits {
    base: u32,
    place: f64,
    lowest: u32,
    others: u32,
    value_of_others: f64,
}

impl Halton {
    /// Starts the sequence after `skip` points.
    pub(super) fn new(n: usize, skip: u32) -> Self {
        let first = skip + 1;
        let digits = PRIMES.into_iter().take(n).map(|base| Digits {
            base,
            place: 1.0 / f64::from(base),
            lowest: first % base,
            others: first / base,
            value_of_others: radical_inverse(first / base, base) / f64::from(base),
        });
        Self {
            digits: digits.collect(),
        }
    }

    /// The next point, each coordinate in 0..1.
    pub(super) fn point(&mut self) -> impl Iterator<Item = f64> {
        self.digits.iter_mut().map(Digits::next)
    }
}

impl Digits {
    fn next(&mut self) -> f64 {
        let value = self.value_of_others + f64::from(self.lowest) * self.place;
        self.lowest += 1;
        if self.lowest == self.base {
            (self.lowest, self.others) = (0, self.others + 1);
            self.value_of_others = radical_inverse(self.others, self.base) * self.place;
        }
        value
    }
}

/// The digits of `index` in a base, mirrored at the radix point.
fn radical_inverse(mut index: u32, base: u32) -> f64 {
    let (mut value, mut place) = (0.0, 1.0);
    while index > 0 {
        place /= f64::from(base);
        value += place * f64::from(index % base);
        index /= base;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_the_mirrored_digits_of_their_number() {
        let mut halton = Halton::new(7, 40);
        for index in 41..2000 {
            for (x, base) in halton.point().zip(PRIMES) {
                assert!((x - radical_inverse(index, base)).abs() < 1e-12);
                assert!((0.0..1.0).contains(&x));
            }
        }
    }
}
