//! Interior of an upright container, for objects that are dropped into it.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Pose, Shape};

use crate::params::TILT_TOL_RAD;

/// Least depth below the rim at which an object is released, m: it then falls inwards.
const BELOW_RIM_M: f64 = 0.005;
/// Step of the search for the lowest free height, m.
pub(crate) const STEP_M: f64 = 0.004;

pub(crate) struct Opening {
    pub(crate) floor: Point3<f64>,
    /// Distance from the centre to the wall, m.
    pub(crate) radius_m: f64,
    rim_z: f64,
}

impl Opening {
    pub(crate) fn of(shape: &Shape, world_from_object: &Pose) -> Option<Self> {
        let cavity = shape.cavity()?;
        let up_in_world = world_from_object.rotation * Vector3::z();
        let in_world = |z: f64| world_from_object * Point3::new(cavity.axis[0], cavity.axis[1], z);
        // In a container that leans further, objects slide.
        (up_in_world.angle(&Vector3::z()) < TILT_TOL_RAD).then(|| Self {
            floor: in_world(cavity.floor_z),
            radius_m: cavity.opening_m(),
            rim_z: in_world(cavity.rim_z).z,
        })
    }

    /// Largest height above the floor at which an object's lowest point may be released, m;
    /// negative if there is none.
    pub(crate) fn most_m(&self) -> f64 {
        self.rim_z - BELOW_RIM_M - self.floor.z
    }
}
