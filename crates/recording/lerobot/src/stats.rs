//! Statistics of features: `meta/stats.json`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const QUANTILES: [(&str, f64); 5] = [
    ("q01", 0.01),
    ("q10", 0.10),
    ("q50", 0.50),
    ("q90", 0.90),
    ("q99", 0.99),
];

/// Statistics of one number over many frames.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Population standard deviation.
    pub std: f64,
    /// Quantiles at 1, 10, 50, 90 and 99 %.
    pub quantiles: [f64; 5],
}

impl Stats {
    /// Computes the statistics of the values. `None` if there are no values.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        let quantile = |part: f64| {
            // Linear interpolation, as in numpy.
            let at = part * (n - 1.0);
            let (low, high) = (values[at.floor() as usize], values[at.ceil() as usize]);
            low + (high - low) * at.fract()
        };
        Some(Self {
            min,
            max,
            mean,
            std: variance.sqrt(),
            quantiles: QUANTILES.map(|(_, part)| quantile(part)),
        })
    }
}

/// Statistics of a feature, one per column, with the number of frames.
pub fn column_stats(columns: &[Stats], count: usize) -> Value {
    figures(columns, count, &|value| json!(value))
}

fn figures(columns: &[Stats], count: usize, shaped: &dyn Fn(f64) -> Value) -> Value {
    let all = |of: &dyn Fn(&Stats) -> f64| {
        let values = columns.iter().map(|stats| shaped(of(stats)));
        Value::Array(values.collect())
    };
    let mut value = json!({
        "min": all(&|s| s.min),
        "max": all(&|s| s.max),
        "mean": all(&|s| s.mean),
        "std": all(&|s| s.std),
        "count": [count],
    });
    for (idx, (name, _)) in QUANTILES.iter().enumerate() {
        value[*name] = all(&|s| s.quantiles[idx]);
    }
    value
}

/// Histograms of the colour channels of pictures, from which all statistics are computed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageStats {
    /// Number of pictures.
    pub n_images: usize,
    /// Histogram for red, green and blue, with 256 bins each.
    pub histograms: [Vec<u64>; 3],
}

/// Interval of the pixels that are sampled. A sample suffices, because neighbours are similar.
const EVERY_PIXEL: usize = 7;

impl ImageStats {
    /// Adds a picture given as RGB values.
    pub fn add(&mut self, rgb: &[u8]) {
        self.n_images += 1;
        self.histograms.iter_mut().for_each(|h| h.resize(256, 0));
        for pixel in rgb.chunks_exact(3).step_by(EVERY_PIXEL) {
            for (histogram, value) in self.histograms.iter_mut().zip(pixel) {
                histogram[usize::from(*value)] += 1;
            }
        }
    }

    /// Adds the counts of other histograms.
    pub fn merge(&mut self, other: &Self) {
        self.n_images += other.n_images;
        for (sum, more) in self.histograms.iter_mut().zip(&other.histograms) {
            sum.resize(256, 0);
            sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
        }
    }

    /// Statistics of the values scaled to 0..1, in LeRobot's shape `[[[r]], [[g]], [[b]]]`; `None`
    /// without pictures.
    pub fn figures(&self) -> Option<Value> {
        let channels = self.histograms.iter().map(|h| of_histogram(h));
        let channels = channels.collect::<Option<Vec<_>>>()?;
        Some(figures(&channels, self.n_images, &|value| json!([[value]])))
    }
}

fn of_histogram(histogram: &[u64]) -> Option<Stats> {
    let n: u64 = histogram.iter().sum();
    let value = |bin: usize| bin as f64 / 255.0;
    let counted = || histogram.iter().enumerate().filter(|(_, n)| **n > 0);
    let mean = |of: &dyn Fn(f64) -> f64| {
        let sum: f64 = counted().map(|(bin, n)| of(value(bin)) * *n as f64).sum();
        sum / n as f64
    };
    let (first, last) = (counted().next()?.0, counted().next_back()?.0);
    let middle = mean(&|v| v);
    let quantile = |part: f64| {
        let wanted = part * (n - 1) as f64;
        let mut seen = 0;
        let bin = counted().find(|(_, n)| {
            seen += **n;
            seen as f64 > wanted
        });
        value(bin.map_or(last, |(bin, _)| bin))
    };
    Some(Stats {
        min: value(first),
        max: value(last),
        mean: middle,
        std: mean(&|v| (v - middle).powi(2)).sqrt(),
        quantiles: QUANTILES.map(|(_, part)| quantile(part)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_numpy() {
        // Values from numpy: min, max, mean, std and quantile of [0, 1, 4, 9, 16].
        let stats =
            Stats::of(vec![16.0, 1.0, 0.0, 9.0, 4.0]).expect("no statistics of five values");
        assert_eq!((stats.min, stats.max, stats.mean), (0.0, 16.0, 6.0));
        assert!((stats.std - 34.8_f64.sqrt()).abs() < 1e-12);
        let expected = [0.04, 0.4, 4.0, 13.2, 15.72];
        for (q, expected) in stats.quantiles.iter().zip(expected) {
            assert!(
                (q - expected).abs() < 1e-12,
                "quantile {q}, expected {expected}"
            );
        }
        assert_eq!(Stats::of(vec![]), None);
    }

    #[test]
    fn pictures_are_counted_by_channel_from_0_to_1() {
        let mut stats = ImageStats::default();
        assert_eq!(stats.figures(), None);
        stats.add(&[255, 0, 51].repeat(70));
        let mut other = ImageStats::default();
        other.add(&[0, 0, 51].repeat(70));
        stats.merge(&other);
        let figures = stats.figures().expect("no statistics of two pictures");
        assert_eq!(figures["count"], json!([2]));
        assert_eq!(figures["min"], json!([[[0.0]], [[0.0]], [[0.2]]]));
        assert_eq!(figures["max"][0], json!([[1.0]]));
        assert_eq!(figures["mean"][0], json!([[0.5]]));
        assert_eq!(figures["std"][0], json!([[0.5]]));
        assert_eq!(figures["q50"][2], json!([[0.2]]));
    }
}
