//! Places on top of what already lies in a container.

use nalgebra::{Point3, Vector3};
use regrasp_api::{PerceivedObject, Pose};

use super::Spot;
use super::ground::Ground;

/// How far below the rim something is let go at least, m: it then falls to the inside.
const BELOW_RIM_M: f64 = 0.005;
/// Farthest from the middle of the container, as a part of the way to its wall.
const TOWARDS_WALL: f64 = 0.6;
/// Steps in which the lowest free height is looked for, m.
const STEP_M: f64 = 0.004;
/// Free space around it where it is let go, m.
const FREE_M: f64 = 0.002;

impl Ground<'_> {
    /// The lowest place in a container from which something can be dropped on what lies there,
    /// the one nearest to the middle among several alike. `points` are those of the container,
    /// nearest to its middle first.
    pub(super) fn heaped(&self, points: &[[f64; 2]], target: &PerceivedObject) -> Option<Spot> {
        let cavity = target.shape.cavity()?;
        let in_world = |z: f64| {
            let point = Point3::new(cavity.axis[0], cavity.axis[1], z);
            target.world_from_object * point
        };
        let (floor, rim_z) = (in_world(cavity.floor_z), in_world(cavity.rim_z).z);
        let most_m = TOWARDS_WALL * cavity.opening_m();
        let is_near = |p: &&[f64; 2]| (p[0] - floor.x).hypot(p[1] - floor.y) <= most_m;
        let n_steps = ((rim_z - BELOW_RIM_M - floor.z) / STEP_M).max(0.0) as usize;
        let lowest = |point: &[f64; 2]| {
            let heights = (0..=n_steps).map(|i| floor.z + i as f64 * STEP_M);
            let mut origins = heights.map(|z| {
                let [x, y] = *point;
                Vector3::new(x, y, z + FREE_M - self.extent.min[2])
            });
            origins.find(|origin| self.is_clear(origin))
        };
        let origins = points.iter().filter(is_near).filter_map(lowest);
        let origin = origins.min_by(|a, b| a.z.total_cmp(&b.z))?;
        Some(Spot {
            support: target.id.clone(),
            world_from_object: Pose::from_parts(origin.into(), self.rotation),
            heaped: true,
        })
    }

    /// Whether it touches nothing where it is let go.
    fn is_clear(&self, origin: &Vector3<f64>) -> bool {
        let Some(placed) = self.placed(origin, 0.0) else {
            return false;
        };
        let mut others = self.others.iter().filter_map(|(_, body)| body.as_ref());
        others.all(|body| placed.gap_m(body, FREE_M).is_none())
    }
}
