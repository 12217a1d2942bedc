//! Confidence interval, paired test and percentiles, computed with `statrs`.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};
use statrs::statistics::{Data, OrderStatistics};

/// 95 % confidence interval of a success rate after Wilson (Probable inference, the law of
/// succession, and statistical inference, JASA 22, 1927), without continuity correction. It stays
/// within 0..1 and is accurate for small samples and for rates near 0 and 1. Without trials it is
/// all of 0..1.
pub fn wilson95(successes: usize, trials: usize) -> [f64; 2] {
    if trials == 0 {
        return [0.0, 1.0];
    }
    let z = Normal::standard().inverse_cdf(0.975);
    let (n, rate) = (trials as f64, successes as f64 / trials as f64);
    let shrink = 1.0 + z * z / n;
    let center = (rate + z * z / (2.0 * n)) / shrink;
    let half = z / shrink * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    [(center - half).max(0.0), (center + half).min(1.0)]
}

/// Exact two-sided p-value of McNemar's test (Note on the sampling error of the difference between
/// correlated proportions or percentages, Psychometrika 12, 1947). Of two treatments of the same
/// cases, only the first succeeded in `wins` of them and only the second in `losses`. Equals the
/// sign test on these cases: if the treatments are equally good, each goes either way with
/// probability 1/2. Returns 1 if there are no such cases.
pub fn mcnemar_exact(wins: usize, losses: usize) -> f64 {
    let n = (wins + losses) as u64;
    let fewer = wins.min(losses) as u64;
    match Binomial::new(0.5, n) {
        Ok(fair) => (2.0 * fair.cdf(fewer)).min(1.0),
        Err(_) => 1.0,
    }
}

/// Median; `None` for no values.
pub fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| Data::new(values.to_vec()).median())
}

/// 95th percentile (median-unbiased: Hyndman and Fan's type 8); `None` for no values.
pub fn p95(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| Data::new(values.to_vec()).quantile(0.95))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(successes: usize, trials: usize, expected: [f64; 2]) {
        let got = wilson95(successes, trials);
        let off = (got[0] - expected[0]).abs();
        let off = off.max((got[1] - expected[1]).abs());
        assert!(off < 5e-5, "{successes} of {trials}: {got:?}, {expected:?}");
    }

    /// The first three values are method 3 of table I in Newcombe, Two-sided confidence intervals
    /// for the single proportion, Statistics in Medicine 17, 1998.
    #[test]
    fn wilson_agrees_with_published_values() {
        check(81, 263, [0.2553, 0.3662]);
        check(15, 148, [0.0624, 0.1605]);
        check(0, 20, [0.0, 0.1611]);
        check(1, 29, [0.0061, 0.1718]);
        check(100, 100, [0.9630, 1.0]);
        check(0, 0, [0.0, 1.0]);
    }

    /// Computed by hand: 2 (1 + 8) / 2^8, 2 / 2^6, 2 (1 + 10 + 45) / 2^10.
    #[test]
    fn mcnemar_agrees_with_sums_of_binomial_coefficients() {
        let check = |wins, losses, expected: f64| {
            for p in [mcnemar_exact(wins, losses), mcnemar_exact(losses, wins)] {
                assert!((p - expected).abs() < 1e-12, "{wins} to {losses}: {p}");
            }
        };
        check(7, 1, 18.0 / 256.0);
        check(6, 0, 2.0 / 64.0);
        check(2, 8, 112.0 / 1024.0);
        check(5, 5, 1.0);
        check(0, 0, 1.0);
    }

    #[test]
    fn percentiles_of_a_ramp() {
        let ramp: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(median(&ramp), Some(50.5));
        // (n + 1/3) p + 1/3 = 95.65
        assert!((p95(&ramp).unwrap() - 95.65).abs() < 1e-9);
        assert_eq!((median(&[]), p95(&[])), (None, None));
        assert_eq!(p95(&[3.0]), Some(3.0));
    }
}
