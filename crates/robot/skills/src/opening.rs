//! The inside of a container that stands upright, as what is let go above its floor meets it.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Pose, Shape};

use crate::params::TILT_TOL_RAD;

/// Least depth below the rim at which something is let go, m: it then falls to the inside.
const BELOW_RIM_M: f64 = 0.005;
/// Steps in which the lowest free height is looked for, m.
pub(crate) const STEP_M: f64 = 0.004;

/// Floor and rim of a container.
pub(crate) struct Opening {
    /// The middle of its floor in World, m.
    pub(crate) floor: Point3<f64>,
    /// Distance from there to its wall, m.
    pub(crate) radius_m: f64,
    rim_z: f64,
}

impl Opening {
    /// `None` if it is no container, or leans.
    pub(crate) fn of(shape: &Shape, world_from_object: &Pose) -> Option<Self> {
        let cavity = shape.cavity()?;
        let up_in_world = world_from_object.rotation * Vector3::z();
        let in_world = |z: f64| world_from_object * Point3::new(cavity.axis[0], cavity.axis[1], z);
        // What leans further slides.
        (up_in_world.angle(&Vector3::z()) < TILT_TOL_RAD).then(|| Self {
            floor: in_world(cavity.floor_z),
            radius_m: cavity.opening_m(),
            rim_z: in_world(cavity.rim_z).z,
        })
    }

    /// Largest height above the floor of the lowest point of what is let go, m; negative if there
    /// is no such height.
    pub(crate) fn most_m(&self) -> f64 {
        self.rim_z - BELOW_RIM_M - self.floor.z
    }
}
