//! Letting go of what is held: room for it, and the pose of the tool.

use regrasp_api::{Held, Pose};

use crate::poses::raised;

/// The object is let go this far above its support, m: less would press it into
/// what perception and tracking get wrong, more would drop it.
pub(crate) const RELEASE_GAP_M: f64 = 0.002;
/// By how much the fingers open beyond the object, m: the first that leaves room to
/// what is beside them, such as the wall of a bowl.
pub(crate) const RELEASE_OPENINGS_M: [f64; 3] = [0.02, 0.012, 0.006];
/// Largest distance from its place at which a placed object may rest, m.
pub(crate) const ON_TARGET_M: f64 = 0.015;
/// Largest tilt of a resting object, rad.
pub(crate) const TILT_TOL_RAD: f64 = 0.15;

/// Tool pose that lets go of what is held so that it comes to rest there.
pub(crate) fn tool_at(held: &Held, world_from_object: &Pose) -> Pose {
    raised(
        &(world_from_object * held.tool_from_object.inverse()),
        RELEASE_GAP_M,
    )
}
