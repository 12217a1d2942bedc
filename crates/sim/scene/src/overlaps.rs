//! Rejects objects that overlap at the start: the solver would throw them apart.

use crate::defs::SceneDef;
use crate::{Problem, Scene, SceneError, SceneObject, geometry};

/// Largest overlap at the start, m: settling resolves it without throwing an object.
const LIMIT_M: f64 = 0.002;

pub(crate) fn check(def: &SceneDef, scene: &Scene) -> Result<(), SceneError> {
    for (i, b) in scene.objects.iter().enumerate() {
        for a in &scene.objects[..i] {
            let joined = scene
                .joints
                .iter()
                .any(|j| [&j.parent, &j.child] == [&a.id, &b.id]);
            let whole = |o: &SceneObject| o.part_of.clone().unwrap_or_else(|| o.id.clone());
            // Parts of one object are made to fit.
            let joined = joined || whole(a) == whole(b);
            if joined || !(a.is_movable() || b.is_movable()) {
                continue;
            }
            let depth_m = geometry::overlap_depth(
                &a.shape,
                &a.world_from_object,
                &b.shape,
                &b.world_from_object,
            );
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
