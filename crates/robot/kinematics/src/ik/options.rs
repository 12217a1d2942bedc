//! How hard to try.

/// Options of [`super::solve`]. The default asks for 0.1 mm and 1 mrad.
#[derive(Debug, Clone, PartialEq)]
pub struct IkOptions {
    /// How far the tip may be from where it should be, metres. Default 1e-4: a tenth
    /// of what a gripper's compliance takes up.
    pub pos_tol_m: f64,
    /// How far it may be turned, radians. Default 1e-3: at a finger's length of 0.1 m
    /// that is the position tolerance.
    pub rot_tol_rad: f64,
    /// Iterations over all starts together. Default 600: a reachable pose takes about
    /// ten, so this allows for dozens of bad starts and still ends within a
    /// millisecond. Where a closed form knows no way, few more are spent.
    pub max_iterations: usize,
    /// Random starts after the seed. Default 1000, which the iterations run out before:
    /// lower it to stay near the seed, 0 for the seed alone, without the closed form.
    pub restarts: usize,
    /// Decides the random starts. Default 0.
    pub seed: u64,
    /// Where to put the joints as far as the target leaves them free. Default `None`.
    pub rest: Option<RestPosture>,
}

/// A preference among the configurations that reach the target.
///
/// The solver still answers with the first branch it finds, then slides along it
/// towards this posture while the target stays met.
#[derive(Debug, Clone, PartialEq)]
pub struct RestPosture {
    /// The preferred joint positions, radians or metres, one a joint of the chain.
    pub q: Vec<f64>,
    /// Iterations to spend on it after the target is met. They do not count towards
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
