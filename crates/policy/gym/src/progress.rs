//! Progress of a task, for dense rewards.

use nalgebra::Vector3;
use regrasp::api::ObjectId;
use regrasp::ground_truth::success::{Point, Success};
use regrasp::ground_truth::{Evidence, GroundTruth, GroundTruthObject};

/// Distance at which the closeness is `1 - tanh(1)`, about a quarter, m.
const SCALE_M: f64 = 0.2;
/// Weights of reaching, holding and the condition, as long as the task is not done.
const PARTS: [f64; 3] = [0.2, 0.2, 0.5];

/// Returns the progress of the task from 0 to 1; 1 only if its condition holds. Otherwise, a
/// weighted sum of three terms: the closeness of the tool to the nearest object to move, 1 if one
/// of these objects is held, and the progress of the conditions.
pub fn progress(success: &Success, seen: &Evidence<'_>) -> f64 {
    if success.unmet_in(seen).is_empty() {
        return 1.0;
    }
    let [reach, hold, condition] = PARTS;
    let moved = success.moved();
    let objects: Vec<_> = moved.iter().filter_map(|id| seen.last.object(id)).collect();
    let tool = seen.last.world_from_tool.translation.vector;
    let nearest = objects
        .iter()
        .map(|object| (origin(object) - tool).norm())
        .fold(f64::INFINITY, f64::min);
    let near = if nearest.is_finite() {
        closeness(nearest)
    } else {
        0.0
    };
    let held = objects.iter().any(|object| object.grasped);
    reach * near + hold * f64::from(u8::from(held)) + condition * of_condition(success, seen)
}

fn of_condition(success: &Success, seen: &Evidence<'_>) -> f64 {
    if success.unmet_in(seen).is_empty() {
        return 1.0;
    }
    let last = seen.last;
    let near = match success {
        Success::All(all) => {
            let sum: f64 = all.0.iter().map(|one| of_condition(one, seen)).sum();
            return sum / all.0.len().max(1) as f64;
        }
        Success::Any(any) => {
            let parts = any.0.iter().map(|one| of_condition(one, seen));
            return parts.fold(0.0, f64::max);
        }
        Success::HeldFor(held) => return of_condition(&held.condition, seen),
        Success::On(on) => between(last, &on.object, &on.target),
        Success::In(within) => match &within.target {
            Some(target) => between(last, &within.object, target),
            None => None,
        },
        Success::Inserted(inserted) => between(last, &inserted.object, &inserted.target),
        Success::Touching(touching) => between(last, &touching.object, &touching.target),
        Success::At(at) => match (&at.point, last.object(&at.object)) {
            (Point::InWorld(point), Some(object)) => {
                Some(closeness((origin(object) - Vector3::from(*point)).norm()))
            }
            _ => None,
        },
        Success::Lifted(lifted) => {
            let now = last.object(&lifted.object);
            let then = seen.first.object(&lifted.object);
            now.zip(then).map(|(now, then)| {
                let rise = origin(now).z - origin(then).z;
                (rise / lifted.min_height_m.max(1e-6)).clamp(0.0, 1.0)
            })
        }
        Success::JointAt(at) => {
            let joint = last.joints.iter().find(|j| j.child == at.object);
            joint.map(|joint| closeness((joint.opening - at.min).abs()))
        }
        _ => None,
    };
    // At most 0.9, because the condition does not hold.
    0.9 * near.unwrap_or(0.0)
}

fn between(truth: &GroundTruth, a: &ObjectId, b: &ObjectId) -> Option<f64> {
    let (a, b) = (truth.object(a)?, truth.object(b)?);
    Some(closeness((origin(a) - origin(b)).norm()))
}

fn closeness(distance_m: f64) -> f64 {
    1.0 - (distance_m / SCALE_M).tanh()
}

fn origin(object: &GroundTruthObject) -> Vector3<f64> {
    object.world_from_object.translation.vector
}
