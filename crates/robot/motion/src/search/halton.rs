//! Deterministic points that fill a cube evenly.

const PRIMES: [u32; 16] = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59];

/// Halton sequence in up to 16 dimensions.
#[derive(Clone, Debug)]
pub(super) struct Halton {
    digits: Vec<Digits>,
}

/// One coordinate, as a fraction whose denominator is a power of the base.
#[derive(Clone, Copy, Debug)]
struct Digits {
    base: u64,
    numerator: u64,
    denominator: u64,
    /// Denominator without its last factor.
    step: u64,
    /// Reciprocal of the denominator.
    place: f64,
}

impl Halton {
    /// Starts the sequence after `skip` points.
    pub(super) fn new(n: usize, skip: u32) -> Self {
        let primes = PRIMES.into_iter().take(n);
        let digits = primes.map(|base| Digits::after(u64::from(skip), u64::from(base)));
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
    /// The digits of `index` in a base, mirrored at the radix point.
    fn after(index: u64, base: u64) -> Self {
        let (mut numerator, mut denominator, mut left) = (0, 1, index);
        while left > 0 {
            numerator = numerator * base + left % base;
            denominator *= base;
            left /= base;
        }
        Self {
            base,
            numerator,
            denominator,
            step: denominator / base,
            place: 1.0 / denominator as f64,
        }
    }

    /// Advances to the next index and returns its fraction. The digits are mirrored, so the carry
    /// runs from the first digit of the fraction to later ones.
    fn next(&mut self) -> f64 {
        let to_one = self.denominator - self.numerator;
        if to_one == 1 {
            self.numerator = 1;
            self.step = self.denominator;
            self.denominator *= self.base;
            self.place = 1.0 / self.denominator as f64;
        } else {
            let mut step = self.step;
            while step >= to_one {
                step /= self.base;
            }
            self.numerator = (self.base + 1) * step - to_one;
        }
        self.numerator as f64 * self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn radical_inverse(mut index: u32, base: u32) -> f64 {
        let (mut value, mut place) = (0.0, 1.0);
        while index > 0 {
            place /= f64::from(base);
            value += place * f64::from(index % base);
            index /= base;
        }
        value
    }

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
