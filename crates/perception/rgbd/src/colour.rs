//! Similarity of colours under different light.

use regrasp_api::hue_deg;

/// Chromaticity: the shares of red and green. Squares approximate linear light.
pub(crate) fn chroma(rgb: [f32; 3]) -> [f32; 2] {
    let linear = rgb.map(|c| c * c);
    let sum = linear.iter().sum::<f32>() + 1e-4;
    [linear[0] / sum, linear[1] / sum]
}

/// Parts of a colour that recognition compares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tint {
    chroma: [f32; 2],
    /// Largest of red, green and blue.
    most: f32,
    /// Logarithm of the brightness.
    pub(crate) light: f32,
}

impl Tint {
    pub(crate) fn new(rgb: [f32; 3]) -> Self {
        let sum: f32 = rgb.iter().map(|c| c * c).sum();
        Self {
            chroma: chroma(rgb),
            most: rgb.iter().copied().fold(0.0, f32::max),
            light: (sum / 3.0 + 0.01).ln(),
        }
    }

    /// Difference of chroma, with less weight where there is hardly any light.
    pub(crate) fn apart(&self, other: &Self) -> f32 {
        let (a, b) = (self.chroma, other.chroma);
        let dark = (self.most.min(other.most) / 0.15).min(1.0);
        (a[0] - b[0]).hypot(a[1] - b[1]) * dark
    }
}

/// Largest difference in hue, in linear light, at which two saturated colours count as the same
/// with more or less white, as from a highlight, degrees. Red and orange differ by 17.
const SAME_HUE_DEG: f32 = 8.0;
/// Largest difference between two saturated colours of the same hue.
const LIGHTER: f32 = 0.1;
/// Saturation below which a hue is meaningless.
const SATURATED: f32 = 0.25;

/// Difference of two colours, regardless of light and highlights: 0 to about 1.
pub(crate) fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let apart = {
        let (a, b) = (chroma(a), chroma(b));
        (a[0] - b[0]).hypot(a[1] - b[1])
    };
    if apart <= LIGHTER {
        return apart;
    }
    match (linear_hue_deg(a), linear_hue_deg(b)) {
        (Some(a), Some(b)) => {
            let turn = (a - b).rem_euclid(360.0);
            if turn.min(360.0 - turn) < SAME_HUE_DEG {
                LIGHTER
            } else {
                apart
            }
        }
        _ => apart,
    }
}

fn linear_hue_deg(rgb: [f32; 3]) -> Option<f32> {
    let linear = rgb.map(|c| c * c);
    let value = linear.iter().copied().fold(0.0, f32::max);
    let range = value - linear.iter().copied().fold(1.0, f32::min);
    // At low brightness the hue is rounding noise.
    (value > 0.01 && range > SATURATED * value).then(|| hue_deg(linear, value, range))
}

/// Typical colour of the brighter half, which excludes shaded sides and shadows.
pub(crate) fn typical(colours: &[[f32; 3]]) -> [f32; 3] {
    let brightness = |c: &[f32; 3]| c.iter().sum::<f32>();
    let mut ranks: Vec<_> = colours.iter().map(brightness).zip(0_usize..).collect();
    if ranks.is_empty() {
        return [0.0; 3];
    }
    let rank = colours.len() * 3 / 4;
    // Of equally bright colours the first counts, so that the result is unique.
    let by_rank = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let (_, (_, idx), _) = ranks.select_nth_unstable_by(rank, by_rank);
    colours[*idx]
}

#[cfg(test)]
mod tests {
    use regrasp_api::color_name;

    use super::*;

    #[test]
    fn common_colours_have_their_names_in_light_and_shade() {
        let cases = [
            ([0.80, 0.12, 0.12], "red"),
            ([0.13, 0.62, 0.20], "green"),
            ([0.12, 0.28, 0.80], "blue"),
            ([0.92, 0.80, 0.10], "yellow"),
            ([0.93, 0.50, 0.08], "orange"),
            ([0.50, 0.18, 0.62], "purple"),
            ([0.93, 0.50, 0.66], "pink"),
            ([0.10, 0.70, 0.76], "cyan"),
            ([0.45, 0.29, 0.15], "brown"),
            ([0.06, 0.06, 0.06], "black"),
            ([0.94, 0.94, 0.92], "white"),
            ([0.50, 0.50, 0.50], "grey"),
            ([0.83, 0.76, 0.63], "beige"),
        ];
        for (rgb, expected) in cases {
            assert_eq!(color_name(rgb), expected, "{rgb:?}");
        }
        for word in ["red", "green", "blue", "yellow", "purple"] {
            let (rgb, _) = cases.iter().find(|(_, w)| *w == word).expect("listed");
            let shaded = rgb.map(|c| c * 0.72);
            assert_eq!(color_name(shaded), word, "in the shade");
            assert!(distance(*rgb, shaded) < 0.02);
        }
        assert!(distance(cases[0].0, cases[4].0) > 0.2, "red is not orange");
        let with_white = [0.42, 0.74, 0.45];
        let off = distance(cases[1].0, with_white);
        assert!(off < 0.15, "a highlight on green");
    }
}
