//! In how many parts a step is simulated.
//!
//! Within a part of a step contacts stay where they were as it began. For something round
//! that is squeezed this is a stiffness that answers late: when it rolls by an angle `a`,
//! the points at which two pads press with `F` move apart by about `r a`, and `F` turns it
//! on with a moment `F r a`. With an inertia `I = m k^2`, and `k` for `r`, that motion has
//! the rate `w^2 = F / (m k) = F / sqrt(m I)`, and friction that is to stop it must act
//! several times within `1 / w`. Where it does not, the thing trembles, creeps, and is
//! pressed out of the hand. Measured with cans of 5 to 120 g, forces from 6 to 70 N and parts
//! of 0.6 to 2.5 ms: one grip in twenty fails at `w h` = 0.37, a quarter at 0.67, most above
//! 0.9, whatever the softness of contacts and the number of the solver's sweeps. What has flat
//! sides does not roll, and 70 N hold it undivided.
//!
//! The wall of a bowl that is made of plates is no flat side: a pad bears on the edges between
//! them. Measured with a bowl of 6 g, 40 plates of 3 mm and 20 N (`w h` = 0.67): undivided it
//! slides by 1 to 13 mm while the pads close, in four parts by 0.2 mm.
//!
//! What is held beside its middle, such as a mug by its handle, gives way to the pads by turning:
//! at a lever `r` only `m / (1 + m r^2 / I)` of its mass counts. Measured with a mug of 31 g held
//! 80 mm beside its middle by 20 N: divided as if it were held in its middle it trembles between
//! the pads and turns by 0.2 rad while it is lifted, else by less than 2 degrees.
//!
//! So a step is divided for as long as something light that is round, or made of pieces, is
//! pressed hard. That is rare: 20 N divide it for a can of 50 g, not for one of 100 g.

use rapier3d_f64::prelude::RigidBody;

/// The largest `w h`, with `h` the length of a part.
const LARGEST_TURN: f64 = 0.3;
/// Never more parts than this: what is lighter still creeps.
const MOST: usize = 8;

/// Parts of a step of `dt_secs` that something round or pieced needs on which contacts press with
/// `load_n` in all, `lever_m` beside the middle of its mass.
pub(crate) fn needed(
    body: &RigidBody,
    least_inertia: f64,
    (load_n, lever_m): (f64, f64),
    dt_secs: f64,
) -> usize {
    // Whatever presses on one side is borne on another.
    let squeeze_n = 0.5 * load_n;
    let (mass, inertia) = (body.mass(), least_inertia);
    let gives_way = mass / (1.0 + mass * lever_m * lever_m / inertia);
    let rate = (squeeze_n / (gives_way * (inertia / mass).sqrt())).sqrt();
    let parts = (rate * dt_secs / LARGEST_TURN).ceil();
    if parts.is_finite() {
        (parts as usize).clamp(1, MOST)
    } else {
        1
    }
}
