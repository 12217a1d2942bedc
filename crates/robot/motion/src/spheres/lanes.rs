//! Eight 32-bit numbers at once, on the vector instructions of the processor.
//!
//! Sums and products are rounded one by one and never fused, so a machine without wide vectors gets
//! the same bits, only more slowly.

use std::ops::{Add, Mul, Sub};

use pulp::{Scalar256b, Simd, WithSimd};

/// Number of configurations that are checked together.
pub(crate) const LANES: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Vectors {
    /// Instructions of every processor.
    Portable,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Wide(pulp::x86::V3),
}

impl Vectors {
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = pulp::x86::V3::try_new() {
            return Self::Wide(token);
        }
        Self::Portable
    }

    pub(crate) fn run<T: WithSimd>(self, op: T) -> T::Output {
        match self {
            Self::Portable => Scalar256b.vectorize(op),
            #[cfg(target_arch = "x86_64")]
            Self::Wide(token) => Simd::vectorize(token, op),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct V<S: Simd> {
    simd: S,
    value: S::f32s,
}

/// A point or direction for each of eight configurations.
pub(super) type Vec3<S> = [V<S>; 3];

impl<S: Simd> V<S> {
    #[inline(always)]
    pub(super) fn splat(simd: S, value: f32) -> Self {
        let value = simd.splat_f32s(value);
        Self { simd, value }
    }

    #[inline(always)]
    pub(super) fn load(simd: S, value: [f32; LANES]) -> Self {
        let value = pulp::cast(value);
        Self { simd, value }
    }

    #[inline(always)]
    pub(super) fn to_array(self) -> [f32; LANES] {
        pulp::cast(self.value)
    }

    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        let value = self.simd.max_f32s(self.value, other.value);
        Self { value, ..self }
    }

    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        let value = self.simd.min_f32s(self.value, other.value);
        Self { value, ..self }
    }

    /// Selects, lane by lane, `yes` where this is below `limit`, otherwise `no`.
    #[inline(always)]
    pub(super) fn pick_below(self, limit: Self, yes: Self, no: Self) -> Self {
        let mask = self.simd.less_than_f32s(self.value, limit.value);
        let value = self.simd.select_f32s(mask, yes.value, no.value);
        Self { value, ..self }
    }

    /// Runs an operation with the instructions of this vector, as a separate function.
    #[inline(always)]
    pub(super) fn vectorize<T: WithSimd>(self, op: T) -> T::Output {
        self.simd.vectorize(op)
    }

    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        let value = self.simd.abs_f32s(self.value);
        Self { value, ..self }
    }

    #[inline(always)]
    pub(super) fn sqrt(self) -> Self {
        let value = self.simd.sqrt_f32s(self.value);
        Self { value, ..self }
    }

    /// Returns a vector with `value` in all lanes.
    #[inline(always)]
    pub(super) fn like(self, value: f32) -> Self {
        Self::splat(self.simd, value)
    }

    /// Returns a vector with one of the values in each lane.
    #[inline(always)]
    pub(super) fn load_like(self, value: [f32; LANES]) -> Self {
        Self::load(self.simd, value)
    }

    /// Returns true if any lane is below a number.
    #[inline(always)]
    pub(super) fn any_below(self, limit: f32) -> bool {
        let limit = self.simd.splat_f32s(limit);
        let mask = self.simd.less_than_f32s(self.value, limit);
        self.simd.first_true_m32s(mask) < LANES
    }

    /// One bit for each lane that is below a number.
    #[inline(always)]
    pub(super) fn below(self, limit: f32) -> u32 {
        let mut bits = 0;
        for (lane, x) in self.to_array().into_iter().enumerate() {
            bits |= u32::from(x < limit) << lane;
        }
        bits
    }

    /// Sine and cosine, to 7e-7 within two turns.
    ///
    /// Half the angle, reduced by half turns, is within a quarter turn, where Taylor polynomials up
    /// to the eleventh and twelfth power suffice. The double-angle formulas then give both results.
    #[inline(always)]
    pub(super) fn sin_cos(self) -> (Self, Self) {
        /// Constant for rounding: adding and subtracting 1.5 * 2^23 rounds to the nearest whole
        /// number.
        const ROUND: f32 = 12_582_912.0;
        const SINE: [f32; 4] = [1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0];
        const COSINE: [f32; 4] = [-1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0];
        let round = self.like(ROUND);
        let turns = (self * self.like(0.5 * std::f32::consts::FRAC_1_PI) + round) - round;
        // Pi in two parts, so that its multiples are subtracted without rounding.
        let half = self * self.like(0.5) - turns * self.like(3.140_625);
        let half = half - turns * self.like(9.676_536e-4);
        let z = half * half;
        let mut s = self.like(-1.0 / 39_916_800.0);
        let mut c = self.like(1.0 / 479_001_600.0);
        for i in 0..4 {
            s = s * z + self.like(SINE[i]);
            c = c * z + self.like(COSINE[i]);
        }
        let (one, two) = (self.like(1.0), self.like(2.0));
        let s = half + half * z * s;
        let c = one - z * self.like(0.5) + z * z * c;
        (two * s * c, one - two * s * s)
    }
}

macro_rules! operator {
    ($trait:ident, $name:ident, $lanes:ident) => {
        impl<S: Simd> $trait for V<S> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let value = self.simd.$lanes(self.value, other.value);
                Self { value, ..self }
            }
        }
    };
}

operator!(Add, add, add_f32s);
operator!(Sub, sub, sub_f32s);
operator!(Mul, mul, mul_f32s);

#[inline(always)]
pub(super) fn squared_distance<S: Simd>(a: &Vec3<S>, b: &Vec3<S>) -> V<S> {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

#[cfg(test)]
mod tests {
    use super::*;

    struct SinCos([f32; LANES]);

    impl WithSimd for SinCos {
        type Output = [[f32; LANES]; 2];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let (s, c) = V::load(simd, self.0).sin_cos();
            [s.to_array(), c.to_array()]
        }
    }

    #[test]
    fn sine_and_cosine_are_those_of_the_library_on_any_vectors() {
        for step in -1000..1000i16 {
            let angles: [f32; LANES] =
                std::array::from_fn(|i| f32::from(step) * 0.0125 + i as f32 * 1.3e-3);
            let got = Vectors::detect().run(SinCos(angles));
            let [sines, cosines] = got;
            for (lane, angle) in angles.iter().enumerate() {
                let (s, c) = f64::from(*angle).sin_cos();
                let off = f64::from(sines[lane]) - s;
                assert!(off.abs() < 6e-7, "the sine of {angle} is off by {off}");
                let off = f64::from(cosines[lane]) - c;
                assert!(off.abs() < 6e-7, "the cosine of {angle} is off by {off}");
            }
            let portable = Vectors::Portable.run(SinCos(angles));
            assert_eq!(got, portable, "bits differ between processors");
        }
    }
}
