//! Places on top of what already lies in a container.

use nalgebra::Vector3;
use regrasp_api::{PerceivedObject, Pose};

use super::ground::Ground;
use super::placement::{Rest, Spot};
use crate::opening::{FREE_M, Opening, STEP_M};

/// Farthest from the middle of the container, as a part of the way to its wall.
const TOWARDS_WALL: f64 = 0.6;

impl Ground<'_> {
    /// The lowest place in a container from which something can be dropped on what lies there,
    /// the one nearest to the middle among several alike. `points` are those of the container,
    /// nearest to its middle first.
    pub(super) fn heaped(&self, points: &[[f64; 2]], target: &PerceivedObject) -> Option<Spot> {
        let opening = Opening::of(&target.shape, &target.world_from_object)?;
        let floor = opening.floor;
        let most_m = TOWARDS_WALL * opening.radius_m;
        let is_near = |p: &&[f64; 2]| (p[0] - floor.x).hypot(p[1] - floor.y) <= most_m;
        let n_steps = (opening.most_m() / STEP_M).max(0.0) as usize;
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
            rest: Rest::Heaped,
            way_back: None,
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
