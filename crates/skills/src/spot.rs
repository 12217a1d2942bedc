//! Where something can be put down.

use nalgebra::Vector3;
use regrasp_api::{Failure, Held, ObjectId, PerceivedObject, Percept, Pose, Reason};
use regrasp_motion::surface_height;

/// A place to put an object down.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// What it will stand on.
    pub(crate) support: ObjectId,
    /// Where its origin will be once it stands, orientation as it is now.
    pub(crate) world_from_object: Pose,
}

/// Free space kept around a placed object, m.
const CLEARANCE_M: f64 = 0.008;
/// What is no higher than this above the support is not in the way, m.
const FLUSH_M: f64 = 0.004;
/// Heights under an object may differ by this much and still count as flat, m: a
/// slope of three degrees under a cube of 4 cm.
const FLAT_M: f64 = 0.001;
/// Fraction of the object's half size at which flatness is sampled: a support that
/// carries this much of it carries its centre of mass with reserve.
const FLAT_FRACTION: f64 = 0.5;
/// Distance between places tried on a surface, m.
const GRID_M: f64 = 0.02;

/// The place on `target` that is nearest to `near` (x, y in World).
///
/// # Errors
///
/// `target_occupied` with what is in the way, or `placement_unstable` if nowhere on
/// it is flat and wide enough.
pub(crate) fn on_object(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    target: &PerceivedObject,
    near: [f64; 2],
) -> Result<Spot, Failure> {
    let mut occupants: Vec<ObjectId> = vec![];
    for [x, y] in grid(target, near) {
        match at_point(percept, held, world_from_held, [x, y], Some(target)) {
            Ok(spot) => return Ok(spot),
            Err(failure) if failure.reason == Reason::TargetOccupied => {
                occupants.extend(failure.entities);
            }
            Err(_) => {}
        }
    }
    occupants.sort();
    occupants.dedup();
    if occupants.is_empty() {
        let text = format!(
            "nowhere on {} is flat and wide enough for {}",
            target.id, held.id
        );
        return Err(Failure::new(Reason::PlacementUnstable, text).about([target.id.clone()]));
    }
    let names: Vec<_> = occupants.iter().map(ObjectId::as_str).collect();
    let text = format!(
        "there is no free place for {} on {}: {} in the way",
        held.id,
        target.id,
        names.join(", ")
    );
    Err(Failure::new(Reason::TargetOccupied, text).about(occupants))
}

/// The place at a point (x, y in World), on `target` or on whatever is highest there.
///
/// # Errors
///
/// `target_occupied` with what is in the way, or `placement_unstable` if what is
/// under it would not carry it.
pub(crate) fn at_point(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    [x, y]: [f64; 2],
    target: Option<&PerceivedObject>,
) -> Result<Spot, Failure> {
    let footprint = Footprint::of(held, world_from_held, [x, y]);
    let others: Vec<_> = percept.objects.iter().filter(|o| o.id != held.id).collect();
    let (support, height) = match target {
        Some(target) => (target, height_at(target, x, y)),
        None => highest(&others, x, y).ok_or_else(|| nothing_below(held, x, y))?,
    };
    let height = height.ok_or_else(|| nothing_below(held, x, y))?;
    let occupants: Vec<ObjectId> = others
        .iter()
        .filter(|o| o.id != support.id && o.aabb_in_world().max[2] > height + FLUSH_M)
        .filter(|o| footprint.overlaps(o))
        .map(|o| o.id.clone())
        .collect();
    if !occupants.is_empty() {
        let names: Vec<_> = occupants.iter().map(ObjectId::as_str).collect();
        let text = format!(
            "{} would touch {} at x={x:.3} y={y:.3} on {}",
            held.id,
            names.join(", "),
            support.id
        );
        return Err(Failure::new(Reason::TargetOccupied, text).about(occupants));
    }
    let flat = footprint
        .inner_corners()
        .iter()
        .all(|[cx, cy]| height_at(support, *cx, *cy).is_some_and(|h| (h - height).abs() < FLAT_M));
    if !flat {
        let text = format!(
            "{} is not flat and wide enough for {} at x={x:.3} y={y:.3}",
            support.id, held.id
        );
        return Err(Failure::new(Reason::PlacementUnstable, text).about([support.id.clone()]));
    }
    let z = height + footprint.depth_m;
    let world_from_object =
        Pose::from_parts(Vector3::new(x, y, z).into(), world_from_held.rotation);
    Ok(Spot {
        support: support.id.clone(),
        world_from_object,
    })
}

fn nothing_below(held: &Held, x: f64, y: f64) -> Failure {
    let text = format!(
        "there is nothing at x={x:.3} y={y:.3} that {} could stand on",
        held.id
    );
    Failure::new(Reason::PlacementUnstable, text)
}

fn height_at(object: &PerceivedObject, x: f64, y: f64) -> Option<f64> {
    surface_height(&object.shape, &object.world_from_object, x, y)
}

/// The object whose surface is highest at a point.
fn highest<'a>(
    objects: &[&'a PerceivedObject],
    x: f64,
    y: f64,
) -> Option<(&'a PerceivedObject, Option<f64>)> {
    let seen = objects
        .iter()
        .filter_map(|o| Some((*o, height_at(o, x, y)?)));
    seen.max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(object, height)| (object, Some(height)))
}

/// Points over the target's bounding box, nearest to `near` first; its centre counts
/// as nearest when the target is something that can itself be moved, since one puts
/// things in the middle of a plate but anywhere on a table.
fn grid(target: &PerceivedObject, near: [f64; 2]) -> Vec<[f64; 2]> {
    let aabb = target.aabb_in_world();
    let center = aabb.center();
    let from = if target.movable {
        [center.x, center.y]
    } else {
        near
    };
    let steps = |axis: usize| {
        let half_m = 0.5 * aabb.size()[axis];
        let n = (half_m / GRID_M).floor() as i64;
        (-n..=n).map(move |i| center[axis] + i as f64 * GRID_M)
    };
    let mut points: Vec<[f64; 2]> = steps(0)
        .flat_map(|x| steps(1).map(move |y| [x, y]))
        .collect();
    let away = |p: &[f64; 2]| (p[0] - from[0]).hypot(p[1] - from[1]);
    points.sort_by(|a, b| away(a).total_cmp(&away(b)));
    points
}

/// What a held object covers, seen from above, once it is at a point.
struct Footprint {
    center: [f64; 2],
    min: [f64; 2],
    max: [f64; 2],
    /// From the object's origin down to its lowest point, m.
    depth_m: f64,
}

impl Footprint {
    fn of(held: &Held, world_from_held: &Pose, center: [f64; 2]) -> Self {
        let aabb = held.shape.aabb(&Pose::from_parts(
            nalgebra::Translation3::identity(),
            world_from_held.rotation,
        ));
        Self {
            center,
            min: [center[0] + aabb.min[0], center[1] + aabb.min[1]],
            max: [center[0] + aabb.max[0], center[1] + aabb.max[1]],
            depth_m: -aabb.min[2],
        }
    }

    fn overlaps(&self, other: &PerceivedObject) -> bool {
        let aabb = other.aabb_in_world();
        (0..2).all(|i| {
            self.min[i] - CLEARANCE_M < aabb.max[i] && aabb.min[i] - CLEARANCE_M < self.max[i]
        })
    }

    fn inner_corners(&self) -> [[f64; 2]; 4] {
        let toward = |i: usize, edge: f64| self.center[i] + FLAT_FRACTION * (edge - self.center[i]);
        let (x0, x1) = (toward(0, self.min[0]), toward(0, self.max[0]));
        let (y0, y1) = (toward(1, self.min[1]), toward(1, self.max[1]));
        [[x0, y0], [x0, y1], [x1, y0], [x1, y1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::Shape;

    fn thing(id: &str, half: [f64; 3], at: [f64; 3], movable: bool) -> PerceivedObject {
        PerceivedObject {
            id: ObjectId::new(id),
            category: "box".into(),
            color: None,
            shape: Shape::Box { half_extents: half },
            world_from_object: Pose::translation(at[0], at[1], at[2]),
            position_std_m: 0.0,
            movable,
        }
    }

    fn held() -> Held {
        Held {
            id: ObjectId::new("held"),
            shape: Shape::Box {
                half_extents: [0.02; 3],
            },
            tool_from_object: Pose::identity(),
            width_m: 0.04,
        }
    }

    fn scene(extra: Vec<PerceivedObject>) -> Percept {
        let mut objects = vec![thing("table", [0.4, 0.4, 0.05], [0.5, 0.0, 0.15], false)];
        objects.extend(extra);
        Percept {
            objects,
            ..Percept::default()
        }
    }

    #[test]
    fn it_stands_on_the_surface_with_its_own_depth() {
        let spot = at_point(&scene(vec![]), &held(), &Pose::identity(), [0.4, 0.1], None)
            .expect("an empty table is free");
        assert_eq!(spot.support.as_str(), "table");
        assert!((spot.world_from_object.translation.z - 0.22).abs() < 1e-9);
    }

    #[test]
    fn a_taken_place_names_who_took_it_and_a_free_one_is_found_beside_it() {
        let percept = scene(vec![thing(
            "mug",
            [0.03, 0.03, 0.05],
            [0.4, 0.1, 0.25],
            true,
        )]);
        let taken = at_point(
            &percept,
            &held(),
            &Pose::identity(),
            [0.42, 0.1],
            Some(&percept.objects[0]),
        )
        .expect_err("the mug is there");
        assert_eq!(taken.reason, Reason::TargetOccupied);
        assert_eq!(taken.entities, [ObjectId::new("mug")]);
        let spot = on_object(
            &percept,
            &held(),
            &Pose::identity(),
            &percept.objects[0],
            [0.4, 0.1],
        )
        .expect("the table is large");
        let p = spot.world_from_object.translation.vector;
        assert!(
            (p.x - 0.4).abs().max((p.y - 0.1).abs()) >= 0.058,
            "clear of the mug: {p}"
        );
    }

    #[test]
    fn the_edge_and_the_void_do_not_carry() {
        let percept = scene(vec![]);
        for [x, y] in [[0.898, 0.0], [1.2, 0.0]] {
            let failure = at_point(&percept, &held(), &Pose::identity(), [x, y], None)
                .expect_err("nothing carries it there");
            assert_eq!(failure.reason, Reason::PlacementUnstable);
        }
    }
}
