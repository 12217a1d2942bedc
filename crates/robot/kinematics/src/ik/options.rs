//! Options of the numerical solver.

/// Options of [`super::solve`]. The default tolerances are 0.1 mm and 1 mrad.
#[derive(Debug, Clone, PartialEq)]
pub struct IkOptions {
    /// Position tolerance of the tip, m. Default 1e-4: a tenth of what a gripper's compliance
    /// absorbs.
    pub pos_tol_m: f64,
    /// Rotation tolerance, rad. Default 1e-3: at a finger length of 0.1 m this equals the position
    /// tolerance.
    pub rot_tol_rad: f64,
    /// Largest number of iterations over all starts. Default 600: a reachable pose takes about ten,
    /// so this allows for dozens of bad starts and still ends within a millisecond. If a closed
    /// form finds no solution, few more are spent.
    pub max_iterations: usize,
    /// Largest number of random starts after the seed. Default 1000, more than the iterations
    /// allow. Lower it to stay near the seed; 0 uses the seed alone, without the closed form.
    pub restarts: usize,
    /// Seed of the random starts. Default 0.
    pub seed: u64,
    /// Preferred joint positions, as far as the target leaves freedom. Default `None`.
    pub rest: Option<RestPosture>,
}

/// A preference among the configurations that reach the target.
///
/// The solver finds its first solution as usual, then slides along that branch towards this posture
/// while the target stays met.
#[derive(Debug, Clone, PartialEq)]
pub struct RestPosture {
    /// Preferred joint positions, radians or metres, one per joint of the chain.
    pub q: Vec<f64>,
    /// Iterations to spend after the target is met. They do not count towards
    /// [`IkOptions::max_iterations`].
    pub iterations: usize,
}

impl Default for IkOptions {
    fn default() -> Self {
        Self {
            pos_tol_m: 1e-4,
            rot_tol_rad: 1e-3,
            max_iterations: 600,
            restarts: 1000,
            seed: 0,
            rest: None,
        }
    }
}
