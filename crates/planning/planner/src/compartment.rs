//! Where in a compartment there is room: between its walls, on its floor.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Aabb, PerceivedObject, Shape};

/// Space that is left to a wall, m.
const TO_WALL_M: f64 = 0.006;

/// The solid parts of a thing, as boxes in World.
pub(crate) struct Boxes(Vec<Aabb>);

impl Boxes {
    /// `None` if it is of one piece.
    pub(crate) fn of(whole: &PerceivedObject) -> Option<Self> {
        let Shape::Compound { parts } = &whole.shape else {
            return None;
        };
        let boxes = parts.iter().map(|part| {
            let world_from_part = whole.world_from_object * part.object_from_part;
            part.shape.aabb(&world_from_part)
        });
        Some(Self(boxes.collect()))
    }

    /// Whether there is a board over a point.
    pub(crate) fn covers(&self, point: &Point3<f64>) -> bool {
        let mut above = self.0.iter().filter(|part| part.min[2] > point.z);
        above.any(|part| spans(part, point, 0) && spans(part, point, 1))
    }

    /// Height of the floor under a point, m in World.
    fn floor_z(&self, point: &Point3<f64>) -> Option<f64> {
        let below = self.0.iter().filter(|part| part.max[2] <= point.z);
        let below = below.filter(|part| spans(part, point, 0) && spans(part, point, 1));
        below.map(|part| part.max[2]).reduce(f64::max)
    }

    /// The nearest walls to either side of a point along an axis.
    fn walls(&self, point: &Point3<f64>, axis: usize) -> [Option<f64>; 2] {
        let other = 1 - axis;
        let beside = || {
            let parts = self.0.iter();
            parts.filter(|part| spans(part, point, 2) && spans(part, point, other))
        };
        let low = beside().map(|part| part.max[axis]);
        let high = beside().map(|part| part.min[axis]);
        [
            low.filter(|at| *at <= point[axis]).reduce(f64::max),
            high.filter(|at| *at >= point[axis]).reduce(f64::min),
        ]
    }

    /// Where a thing has its origin if it stands in the middle between the walls around a zone, or
    /// else as near to the zone's middle as the only wall lets it.
    pub(crate) fn place_in(&self, zone: &Aabb, thing: &PerceivedObject) -> Vector3<f64> {
        let (center, aabb) = (zone.center(), thing.aabb_in_world());
        let along = |axis: usize| {
            let room_m = 0.5 * aabb.size()[axis] + TO_WALL_M;
            match self.walls(&center, axis) {
                [Some(low), Some(high)] => 0.5 * (low + high),
                [Some(low), None] => center[axis].max(low + room_m),
                [None, Some(high)] => center[axis].min(high - room_m),
                [None, None] => center[axis],
            }
        };
        let floor_z = self.floor_z(&center).unwrap_or(zone.min[2]);
        let foot = Vector3::new(along(0), along(1), floor_z);
        let foot_now = Vector3::new(aabb.center().x, aabb.center().y, aabb.min[2]);
        foot + thing.position() - foot_now
    }
}

fn spans(part: &Aabb, point: &Point3<f64>, axis: usize) -> bool {
    (part.min[axis]..=part.max[axis]).contains(&point[axis])
}

#[cfg(test)]
mod tests {
    use regrasp_api::solids::boxed;

    use super::*;

    fn thing(shape: Shape, at: [f64; 3]) -> PerceivedObject {
        regrasp_testkit::thing("thing", "thing", shape, at)
    }

    /// A shell of 34 x 24 x 20 cm, open towards -y, whose right wall along x is 10 cm thick.
    fn oven() -> PerceivedObject {
        let parts = vec![
            boxed([-0.16, 0.0, 0.1], [0.01, 0.12, 0.1], 0.0),
            boxed([0.12, 0.0, 0.1], [0.05, 0.12, 0.1], 0.0),
            boxed([0.0, 0.11, 0.1], [0.17, 0.01, 0.1], 0.0),
            boxed([0.0, 0.0, 0.01], [0.17, 0.12, 0.01], 0.0),
            boxed([0.0, 0.0, 0.19], [0.17, 0.12, 0.01], 0.0),
        ];
        thing(Shape::Compound { parts }, [0.5, 0.2, 0.4])
    }

    #[test]
    fn it_is_put_between_the_walls_before_the_back_and_on_the_floor() {
        let boxes = Boxes::of(&oven()).expect("an oven has parts");
        let zone = Aabb {
            min: [0.38, 0.12, 0.405],
            max: [0.62, 0.31, 0.57],
        };
        assert!(boxes.covers(&zone.center()));
        // 16 cm deep, its origin 2 cm before its middle and at its foot.
        let parts = vec![boxed([0.0, 0.02, 0.05], [0.03, 0.08, 0.05], 0.0)];
        let carton = thing(Shape::Compound { parts }, [0.3, -0.2, 0.4]);
        let at = boxes.place_in(&zone, &carton);
        assert!((at.x - 0.46).abs() < 1e-9, "between the walls: {at}");
        let deepest = at.y + 0.1;
        assert!(
            (deepest - (0.3 - TO_WALL_M)).abs() < 1e-9,
            "before the back: {at}"
        );
        assert!(
            (at.z - 0.42).abs() < 1e-9,
            "on the floor, not on the zone's edge: {at}"
        );
    }
}
