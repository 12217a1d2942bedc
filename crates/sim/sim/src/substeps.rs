//! Number of substeps of a step.
//!
//! Within a substep the contact points stay where they were at its beginning. For a squeezed round
//! object that acts as a delayed stiffness: when it rolls by an angle `a`, the points at which two
//! pads press with `F` move apart by about `r a`, and `F` rotates it further with a moment `F r a`.
//! With an inertia `I = m k^2`, and with `r` about equal to `k`, that motion grows at the rate `w`,
//! `w^2 = F / (m k) = F / sqrt(m I)`, and the friction that stops it must act several times within
//! `1 / w`. Otherwise the object trembles, creeps, and is pressed out of the hand. Measured with
//! cans of 5 to 120 g, forces from 6 to 70 N and substeps of 0.6 to 2.5 ms: one grip in twenty
//! fails at `w h` = 0.37, a quarter at 0.67, most above 0.9, whatever the softness of contacts and
//! the number of solver iterations. An object with flat sides does not roll, and 70 N hold it
//! without substeps.
//!
//! The wall of a bowl made of plates is not a flat side: a pad bears on the edges between plates.
//! Measured with a bowl of 6 g, 40 plates of 3 mm and 20 N (`w h` = 0.67): in whole steps it slides
//! by 1 to 13 mm while the pads close, in four substeps by 0.2 mm.
//!
//! An object held off its centre of mass, such as a mug by its handle, yields to the pads by
//! rotating: at a lever `r` only `m / (1 + m r^2 / I)` of its mass counts. Measured with a mug of
//! 31 g held 80 mm off its centre by 20 N: with the substeps for a central grip it trembles between
//! the pads and turns by 0.2 rad while it is lifted; with the reduced mass it turns by less than 2
//! degrees.
//!
//! A step is therefore divided as long as a light object that is round or compound is pressed hard.
//! That is rare: 20 N divide it for a can of 50 g, not for a can of 100 g.

use rapier3d_f64::prelude::RigidBody;

/// Largest allowed `w h`, with `h` the length of a substep.
const LARGEST_TURN: f64 = 0.3;
/// Largest number of substeps; objects that would need more creep.
const MOST: usize = 8;

/// Number of substeps in a step of `dt_secs` for a round or compound object on which contacts press
/// with `load_n` in total, `lever_m` off its centre of mass.
pub(crate) fn needed(
    body: &RigidBody,
    least_inertia: f64,
    (load_n, lever_m): (f64, f64),
    dt_secs: f64,
) -> usize {
    // Two opposite contacts carry half of the total load each.
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
