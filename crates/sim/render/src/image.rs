//! Images on surfaces, with mipmaps against flicker at a distance.
//!
//! Colours are interpolated between four texels of each of the two mipmaps nearest in size, in
//! linear light. Every step is a sum or product with its own rounding, and the mipmap is found from
//! the bits of a number instead of by a logarithm, so every machine gives the same bits.

use crate::encode::{linear, shown};

/// An image that covers a surface.
#[derive(Debug)]
pub struct Image {
    /// Mipmaps from the whole image down to one texel.
    sizes: Vec<Texels>,
    mean_rgb: [f32; 3],
}

#[derive(Debug)]
struct Texels {
    n: [usize; 2],
    /// Red, green, blue in linear light, 0 to 65535, then an unused 0.
    texels: Vec<[u16; 4]>,
}

impl Image {
    /// Builds an image from the red, green and blue screen values (sRGB) of each pixel, row by row
    /// from the top, multiplied by a tint of 0 to 1 per channel. `None` if their number does not
    /// match the size.
    pub fn new(width: u32, height: u32, rgb: &[u8], tint: [f32; 3]) -> Option<Self> {
        let n = [width as usize, height as usize];
        if n.contains(&0) || n[0].checked_mul(n[1])?.checked_mul(3)? != rgb.len() {
            return None;
        }
        let mean_rgb = mean_rgb(rgb, tint);
        let tint = tint.map(linear);
        // Rounding hides the last bits of the power function, which differ between machines.
        let rounded = |light: f32| (light * 65535.0).round() / 65535.0;
        let of_byte = (0..=255u8).map(|b| rounded(linear(f32::from(b) / 255.0)));
        let of_byte: Vec<f32> = of_byte.collect();
        let light = |p: &[u8; 3]| [0, 1, 2].map(|i| of_byte[usize::from(p[i])] * tint[i]);
        let mut lights: Vec<[f32; 3]> = rgb.as_chunks::<3>().0.iter().map(light).collect();
        let mut n = n;
        let mut sizes = vec![Texels::new(n, &lights)];
        while n != [1, 1] {
            (n, lights) = halved(n, &lights);
            sizes.push(Texels::new(n, &lights));
        }
        Some(Self { sizes, mean_rgb })
    }

    /// Mean screen colour of all pixels, 0 to 1, for renderers without images.
    pub fn mean_rgb(&self) -> [f32; 3] {
        self.mean_rgb
    }

    /// Mean screen colour, 0 to 1, of a patch around texture coordinates; `sides` are the side
    /// lengths of the patch as fractions of the image.
    pub fn rgb_around(&self, uv: [f32; 2], sides: [f32; 2]) -> [f32; 3] {
        self.at(uv, [[sides[0], 0.0], [0.0, sides[1]]]).map(shown)
    }

    /// Colour in linear light at texture coordinates. `steps` are the changes of the coordinates
    /// per column and per row of the picture.
    #[inline]
    pub(crate) fn at(&self, uv: [f32; 2], steps: [[f32; 2]; 2]) -> [f32; 3] {
        let n = self.sizes[0].n.map(|n| n as f32);
        let square = |[u, v]: [f32; 2]| {
            let (x, y) = (u * n[0], v * n[1]);
            x * x + y * y
        };
        let (across, down) = (square(steps[0]), square(steps[1]));
        let (size, to_next) = halvings(if across > down { across } else { down });
        let last = self.sizes.len() - 1;
        let near = self.sizes[size.min(last)].at(uv);
        if size >= last || to_next <= 0.0 {
            return near;
        }
        let far = self.sizes[size + 1].at(uv);
        [0, 1, 2].map(|i| near[i] + (far[i] - near[i]) * to_next)
    }
}

fn mean_rgb(rgb: &[u8], tint: [f32; 3]) -> [f32; 3] {
    let mut sums = [0u64; 3];
    for pixel in rgb.as_chunks::<3>().0 {
        sums = [0, 1, 2].map(|i| sums[i] + u64::from(pixel[i]));
    }
    let n = (rgb.len() / 3).max(1) as f64;
    [0, 1, 2].map(|i| (sums[i] as f64 / n / 255.0) as f32 * tint[i])
}

/// Half of the binary logarithm of `square`, as its whole part (at least 0) and its fraction. The
/// fraction is interpolated linearly between powers of two.
#[inline]
fn halvings(square: f32) -> (usize, f32) {
    if square.is_nan() || square <= 1.0 {
        return (0, 0.0);
    }
    let bits = square.min(f32::MAX).to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let fraction = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0;
    let half = 0.5 * (exponent as f32 + fraction);
    let whole = half.floor();
    (whole as usize, half - whole)
}

/// An image of half the size; each texel is the area-weighted mean of the texels below it.
fn halved(n: [usize; 2], lights: &[[f32; 3]]) -> ([usize; 2], Vec<[f32; 3]>) {
    let m = n.map(|n| (n / 2).max(1));
    let shares = [0, 1].map(|axis| shares(n[axis], m[axis]));
    let mut small = Vec::with_capacity(m[0] * m[1]);
    for row in &shares[1] {
        for column in &shares[0] {
            let (mut sum, mut whole) = ([0.0f32; 3], 0.0f32);
            for (y, share_y) in row {
                for (x, share_x) in column {
                    let (light, share) = (lights[y * n[0] + x], share_x * share_y);
                    sum = [0, 1, 2].map(|i| sum[i] + share * light[i]);
                    whole += share;
                }
            }
            small.push(sum.map(|s| s / whole));
        }
    }
    (m, small)
}

/// Indices and shares of the `n` texels that each of `m` texels covers.
fn shares(n: usize, m: usize) -> Vec<Vec<(usize, f32)>> {
    let of = |i: usize| {
        let (start, end) = (i * n, (i + 1) * n);
        let share = move |x: usize| {
            let common = end.min((x + 1) * m) - start.max(x * m);
            (x, common as f32)
        };
        (start / m..end.div_ceil(m)).map(share).collect()
    };
    (0..m).map(of).collect()
}

impl Texels {
    fn new(n: [usize; 2], lights: &[[f32; 3]]) -> Self {
        let texel = |light: &[f32; 3]| {
            let [r, g, b] = light.map(|l| (l.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16);
            [r, g, b, 0]
        };
        Self {
            n,
            texels: lights.iter().map(texel).collect(),
        }
    }

    /// Interpolates between the four nearest texels, 0 to 1; the image repeats.
    #[inline]
    fn at(&self, [u, v]: [f32; 2]) -> [f32; 3] {
        let ([left, right], x) = neighbours(u, self.n[0]);
        let ([above, below], y) = neighbours(v, self.n[1]);
        let texel = |column: usize, row: usize| self.texels[row * self.n[0] + column];
        let corners = [
            texel(left, above),
            texel(right, above),
            texel(left, below),
            texel(right, below),
        ];
        [0, 1, 2].map(|i| {
            let [a, b, c, d] = corners.map(|texel| f32::from(texel[i]));
            let (upper, lower) = (a + (b - a) * x, c + (d - c) * x);
            (upper + (lower - upper) * y) * (1.0 / 65535.0)
        })
    }
}

/// The two texels around a coordinate, and its distance from the first.
#[inline]
fn neighbours(coordinate: f32, n: usize) -> ([usize; 2], f32) {
    let within = coordinate - coordinate.floor();
    let at = within * n as f32 - 0.5;
    let before = at.floor();
    // `before` is -1 to n - 1; NaN counts as 0.
    let first = (before as i32).rem_euclid(n as i32) as usize;
    let second = if first + 1 == n { 0 } else { first + 1 };
    ([first, second], at - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker(n: u32) -> Image {
        let pixel = |i: u32| {
            if (i % n + i / n).is_multiple_of(2) {
                255
            } else {
                0
            }
        };
        let rgb: Vec<u8> = (0..n * n).flat_map(|i| [pixel(i); 3]).collect();
        Image::new(n, n, &rgb, [1.0; 3]).expect("as many as pixels")
    }

    const STILL: [[f32; 2]; 2] = [[0.0; 2]; 2];

    #[test]
    fn the_middle_of_a_texel_has_its_colour_and_images_repeat() {
        let image = Image::new(2, 1, &[255, 0, 0, 0, 0, 255], [1.0; 3]).expect("two pixels");
        for whole in [-3.0, 0.0, 2.0] {
            assert_eq!(image.at([whole + 0.25, 0.5], STILL), [1.0, 0.0, 0.0]);
            assert_eq!(image.at([whole + 0.75, 7.0], STILL), [0.0, 0.0, 1.0]);
            assert_eq!(image.at([whole + 0.5, 0.0], STILL), [0.5, 0.0, 0.5]);
        }
    }

    #[test]
    fn what_is_far_away_has_the_mean_colour() {
        for n in [2, 5, 64] {
            let image = checker(n);
            let far = image.at([0.3, 0.4], [[1.0, 0.0], [0.0, 1.0]]);
            assert!((far[0] - 0.5).abs() < 0.03, "{n}: {far:?}");
            assert!((image.mean_rgb()[1] - 0.5).abs() < 0.03);
            let patch = image.rgb_around([0.3, 0.4], [1.0; 2]);
            let light = (patch[0] - 0.735).abs();
            assert!(light < 0.03, "not half of the light: {patch:?}");
        }
        // The colour changes continuously between sizes.
        let image = checker(64);
        let dark =
            |step: f32| image.at([0.5 / 64.0, 0.5 / 64.0], [[step / 64.0, 0.0], [0.0; 2]])[0];
        assert_eq!(dark(1.0), 1.0);
        assert!(dark(1.2) < 1.0 && dark(1.2) > dark(1.8) && dark(1.8) > dark(2.0));
    }

    #[test]
    fn what_is_no_size_is_no_image() {
        assert!(Image::new(2, 2, &[0; 11], [1.0; 3]).is_none());
        assert!(Image::new(0, 2, &[], [1.0; 3]).is_none());
        let image = checker(4);
        assert_eq!(image.at([f32::NAN, 0.1], [[f32::NAN; 2]; 2]).len(), 3);
    }
}
