//! Pose of an object that a person moves.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Aabb, ObjectId, Pose};
use regrasp_ground_truth::{GroundTruth, GroundTruthObject};

use crate::{Refusal, RefusalKind};

/// Height above the support from which the object is dropped, m.
const DROP_M: f64 = 0.002;

/// Pose over `xy` in World, on top of everything below, turned about the vertical.
pub(crate) fn placed(
    truth: &GroundTruth,
    known: &[GroundTruthObject],
    id: &ObjectId,
    xy: [f64; 2],
    turn_rad: f64,
) -> Result<Pose, Refusal> {
    if !xy.iter().chain([&turn_rad]).all(|n| n.is_finite()) {
        return Err(Refusal::bad_value(
            "expected finite numbers for the position and the rotation",
        ));
    }
    let object = truth.object(id);
    let object = object.or_else(|| known.iter().find(|object| object.id == *id));
    let Some(object) = object.filter(|object| object.movable) else {
        let movable = known.iter().filter(|o| o.movable).map(|o| o.id.as_str());
        let movable: Vec<_> = movable.collect();
        let message = format!(
            "`{id}` cannot be moved (movable objects: {})",
            movable.join(", ")
        );
        return Err(Refusal::new(RefusalKind::Unknown, message));
    };
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn_rad);
    let rotation = turn * object.world_from_object.rotation;
    let over = Pose::from_parts(Translation3::new(xy[0], xy[1], 0.0), rotation);
    let footprint = object.shape.aabb(&over);
    let others = truth.objects.iter().filter(|other| other.id != *id);
    let boxes = others.map(|other| other.shape.aabb(&other.world_from_object));
    let below = boxes.filter(|other| overlap(other, &footprint));
    let top = below.map(|other| other.max[2]).reduce(f64::max);
    let Some(top) = top else {
        let message = format!("there is no support at x={:.3} y={:.3}", xy[0], xy[1]);
        return Err(Refusal::bad_value(message));
    };
    let height = top - footprint.min[2] + DROP_M;
    Ok(Translation3::new(0.0, 0.0, height) * over)
}

/// Returns true if two boxes overlap, seen from above.
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (0..2).all(|i| a.min[i] < b.max[i] && b.min[i] < a.max[i])
}

#[cfg(test)]
mod tests {
    use regrasp_api::Shape;

    use super::*;

    fn object(id: &str, half: f64, at: [f64; 3], movable: bool) -> GroundTruthObject {
        let half_extents = [half, half, 0.02];
        let at = Pose::translation(at[0], at[1], at[2]);
        GroundTruthObject {
            movable,
            ..GroundTruthObject::at_rest(ObjectId::new(id), "box", Shape::Box { half_extents }, at)
        }
    }

    fn truth(objects: Vec<GroundTruthObject>) -> GroundTruth {
        GroundTruth {
            objects,
            ..GroundTruth::default()
        }
    }

    #[test]
    fn an_object_lands_on_the_highest_object_below_it() {
        let table = object("table", 0.5, [0.5, 0.0, 0.0], false);
        let low = object("low", 0.02, [0.4, 0.1, 0.04], true);
        let mine = object("mine", 0.02, [0.6, -0.2, 0.04], true);
        let world = truth(vec![table, low, mine]);
        let put = |xy| placed(&world, &world.objects, &ObjectId::new("mine"), xy, 0.3);
        let on_table = put([0.5, -0.3]).expect("the table is there");
        assert!((on_table.translation.z - (0.02 + 0.02 + DROP_M)).abs() < 1e-12);
        let on_low = put([0.41, 0.11]).expect("the box is there");
        assert!((on_low.translation.z - (0.06 + 0.02 + DROP_M)).abs() < 1e-12);
        assert!((on_low.rotation.angle() - 0.3).abs() < 1e-9);
        assert!(put([3.0, 0.0]).is_err(), "there is no support");
        assert!(put([f64::NAN, 0.0]).is_err());
        let table = ObjectId::new("table");
        let fixed = placed(&world, &world.objects, &table, [0.0; 2], 0.0);
        assert!(fixed.is_err_and(|e| e.message.contains("low, mine")));
    }
}
