//! Checks of a placed scene: no objects overlap, since the solver would throw them apart, and
//! objects that `room` lists can be shifted.

use nalgebra::Vector2;
use regrasp_api::Aabb;

use crate::defs::SceneDef;
use crate::fields::{Field, Sign};
use crate::formats::keys;
use crate::yaml::Node;
use crate::{Problem, Result, Scene, SceneJoint, SceneObject, geometry};

/// Largest overlap at the start, m: settling resolves it without throwing an object.
const LIMIT_M: f64 = 0.002;

pub(crate) fn overlaps(def: &SceneDef, scene: &Scene) -> Result<()> {
    for (i, b) in scene.objects.iter().enumerate() {
        for a in &scene.objects[..i] {
            let joins = |j: &SceneJoint| [&j.parent, &j.child] == [&a.id, &b.id];
            let whole = |o: &SceneObject| o.part_of.clone().unwrap_or_else(|| o.id.clone());
            // Parts of one object, and objects that a joint connects, may overlap by design.
            let joined = whole(a) == whole(b) || scene.joints.iter().any(joins);
            if joined || !(a.is_movable() || b.is_movable()) {
                continue;
            }
            let [at_a, at_b] = [a, b].map(|o| &o.world_from_object);
            let depth_m = geometry::overlap_depth(&a.shape, at_a, &b.shape, at_b);
            if let Some(depth_m) = depth_m.filter(|&d| d > LIMIT_M) {
                let problem = format!(
                    "`{}` and `{}` overlap by {:.1} mm at the start (at most {:.0} mm is \
                     tolerated); move one of them, or place it on a support with `on`",
                    a.id,
                    b.id,
                    depth_m * 1e3,
                    LIMIT_M * 1e3
                );
                let found = def.objects.iter().find(|o| o.body.id == b.id);
                let line = found.map_or(1, |o| o.line);
                return Err(Problem::from(problem).at(&def.file, line));
            }
        }
    }
    Ok(())
}

/// Largest gap between an object and its support, m.
const STANDS_M: f64 = 0.002;

pub(crate) fn room(file: &str, node: &Node, scene: &Scene) -> Result<()> {
    for entry in Field::new(file, "room", node).items()? {
        let keys = entry.fields(keys("room"))?;
        let named = keys.need("object")?;
        let id = named.word()?;
        let object = scene.objects.iter().find(|o| o.id.as_str() == id.value);
        let object = object.ok_or_else(|| {
            let known = scene.objects.iter().map(|o| o.id.as_str());
            named.error(Problem::unknown_word("object", &id.value, known))
        })?;
        let by_m = keys.array_or("by_m", Sign::Coordinate, [0.0; 2])?;
        let clearance_m = keys.number_or("clearance_m", Sign::NotNegative, 0.0)?;
        let reach_m = keys.maybe("reach_m", |f| f.range(Sign::NotNegative))?;
        let too_far = || reach_m.and_then(|r| out_of_reach(scene, object, by_m, r));
        if let Some(cause) = obstacle(scene, object, by_m, clearance_m).or_else(too_far) {
            let (object, [x, y]) = (id.value, by_m);
            return Err(entry.error(format!(
                "`{object}` cannot be shifted by ({x:.3}, {y:.3}) m, as `room` requires: {cause}"
            )));
        }
    }
    Ok(())
}

fn bounds_of(object: &SceneObject) -> Aabb {
    object.shape.aabb(&object.world_from_object)
}

/// Returns the first obstacle to a shift: an object in the swept box, or the end of the support.
fn obstacle(
    scene: &Scene,
    object: &SceneObject,
    by_m: [f64; 2],
    clearance_m: f64,
) -> Option<String> {
    let own = bounds_of(object);
    let overlaps = |other: &Aabb, i: usize, low: f64, high: f64| {
        own.min[i] + low < other.max[i] && other.min[i] < own.max[i] + high
    };
    for other in scene.objects.iter().filter(|o| o.id != object.id) {
        let bounds = bounds_of(other);
        let touches = |i| overlaps(&bounds, i, 0.0, 0.0);
        let stands_on = (own.min[2] - bounds.max[2]).abs() < STANDS_M && touches(0) && touches(1);
        let swept = |i: usize| {
            let (low, high) = (by_m[i].min(0.0), by_m[i].max(0.0));
            overlaps(&bounds, i, low - clearance_m, high + clearance_m)
        };
        let ends_on =
            |i: usize| own.min[i] + by_m[i] > bounds.min[i] && own.max[i] + by_m[i] < bounds.max[i];
        if stands_on && !(ends_on(0) && ends_on(1)) {
            return Some(format!("it would leave `{}`", other.id));
        }
        if !stands_on && swept(0) && swept(1) && overlaps(&bounds, 2, 0.0, 0.0) {
            return Some(format!("`{}` is in the way", other.id));
        }
    }
    None
}

fn out_of_reach(
    scene: &Scene,
    object: &SceneObject,
    by_m: [f64; 2],
    [low, high]: [f64; 2],
) -> Option<String> {
    let axis = scene.world_from_base.translation.vector.xy();
    let from = object.world_from_object.translation.vector.xy();
    [from, from + Vector2::from(by_m)].iter().find_map(|at| {
        let distance_m = (at - axis).norm();
        let is_far = !(low..=high).contains(&distance_m);
        is_far.then(|| format!("it would be {distance_m:.3} m from the arm, not {low} to {high} m"))
    })
}
