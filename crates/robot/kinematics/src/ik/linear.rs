//! Linear system of an iteration: (J Jᵀ + λI) x = b with six unknowns.

/// A vector `[v; w]`.
pub(super) type Vec6 = [f64; 6];

/// Cholesky factor of J Jᵀ + λI, lower triangle, diagonal stored inverted.
pub(super) struct Factor([[f64; 6]; 6]);

impl Factor {
    /// Factors J Jᵀ + λI, where J has the given columns. λ > 0 makes the matrix positive definite
    /// for any J; the floor only guards against rounding.
    #[expect(clippy::needless_range_loop, reason = "the textbook's indices")]
    pub(super) fn new(columns: &[Vec6], lambda: f64) -> Self {
        let mut a = [[0.0; 6]; 6];
        for c in columns {
            for row in 0..6 {
                for col in 0..=row {
                    a[row][col] += c[row] * c[col];
                }
            }
        }
        for (row, line) in a.iter_mut().enumerate() {
            line[row] += lambda;
        }
        for col in 0..6 {
            let mut diagonal = a[col][col];
            for k in 0..col {
                diagonal -= a[col][k] * a[col][k];
            }
            let inverse = 1.0 / diagonal.max(1e-18).sqrt();
            a[col][col] = inverse;
            for row in col + 1..6 {
                let mut value = a[row][col];
                for k in 0..col {
                    value -= a[row][k] * a[col][k];
                }
                a[row][col] = value * inverse;
            }
        }
        Self(a)
    }

    pub(super) fn solve(&self, b: &Vec6) -> Vec6 {
        let l = &self.0;
        let mut x = *b;
        for row in 0..6 {
            for k in 0..row {
                x[row] -= l[row][k] * x[k];
            }
            x[row] *= l[row][row];
        }
        for row in (0..6).rev() {
            for k in row + 1..6 {
                x[row] -= l[k][row] * x[k];
            }
            x[row] *= l[row][row];
        }
        x
    }
}

pub(super) fn dot(a: &Vec6, b: &Vec6) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
