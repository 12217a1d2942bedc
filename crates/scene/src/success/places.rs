//! Conditions on where objects are: regions, distances, tilts, what is inside of what.

use nalgebra::{Vector2, Vector3};
use regrasp_api::{ObjectId, PortKind, Upright};
use regrasp_relations::is_bounded_inside;
use regrasp_truth::WorldTruth;

use super::{Inside, ensure, find, origin};

/// Whether an object's origin is in a region of World.
pub(super) fn check_region(
    object: &ObjectId,
    region: &[Option<[f64; 2]>; 3],
    last: &WorldTruth,
) -> Result<(), String> {
    let at = origin(find(last, object)?);
    let in_range = |i: usize| region[i].is_none_or(|[low, high]| (low..=high).contains(&at[i]));
    ensure((0..3).all(in_range), || {
        format!("it is at x={:.4} y={:.4} z={:.4}", at.x, at.y, at.z)
    })
}

/// Whether an object is in a container: its lowest point in the hollow of that, below the
/// rim.
pub(super) fn check_in(
    object: &ObjectId,
    target: &ObjectId,
    last: &WorldTruth,
) -> Result<(), String> {
    let (inner, outer) = (find(last, object)?, find(last, target)?);
    let a = inner.shape.aabb(&inner.world_from_object);
    let b = outer.shape.aabb(&outer.world_from_object);
    let center = a.center();
    let above = (0..2).all(|i| (b.min[i]..=b.max[i]).contains(&center[i]));
    ensure(above, || format!("it is not above {target}"))?;
    let inside = is_bounded_inside(&a, &outer.shape, &outer.world_from_object);
    ensure(inside, || {
        let (up_m, top_m) = (a.min[2] - b.min[2], b.max[2] - b.min[2]);
        format!(
            "its lowest point, {:.1} mm above the bottom of {target}, which is {:.1} mm high, is \
             not in its hollow",
            up_m * 1e3,
            top_m * 1e3
        )
    })
}

pub(super) fn check_touching(
    object: &ObjectId,
    target: &ObjectId,
    last: &WorldTruth,
) -> Result<(), String> {
    let (a, b) = (find(last, object)?, find(last, target)?);
    let touch = a.touches.contains(target) || b.touches.contains(object);
    ensure(touch, || "they do not touch".to_owned())
}

/// Whether an axis of an object points up.
pub(super) fn check_upright(
    object: &ObjectId,
    axis: Upright,
    max_tilt_rad: f64,
    last: &WorldTruth,
) -> Result<(), String> {
    let tilt = axis.tilt_rad(&find(last, object)?.world_from_object.rotation);
    ensure(tilt <= max_tilt_rad, || {
        format!("it leans by {tilt:.3} rad")
    })
}

pub(super) fn check_apart(
    [object, target]: [&ObjectId; 2],
    xy_m: &Option<[f64; 2]>,
    dz_m: &Option<[f64; 2]>,
    last: &WorldTruth,
) -> Result<(), String> {
    let apart = origin(find(last, object)?) - origin(find(last, target)?);
    let (xy, dz) = (apart.xy().norm(), apart.z.abs());
    let in_range =
        |range: &Option<[f64; 2]>, x| range.is_none_or(|[low, high]| (low..=high).contains(&x));
    ensure(in_range(xy_m, xy) && in_range(dz_m, dz), || {
        format!(
            "they are {:.1} mm apart seen from above, and {:.1} mm in height",
            xy * 1e3,
            dz * 1e3
        )
    })
}

pub(super) fn check_displaced(
    object: &ObjectId,
    direction: &Option<[f64; 3]>,
    min_m: f64,
    first: &WorldTruth,
    last: &WorldTruth,
) -> Result<(), String> {
    let moved = origin(find(last, object)?) - origin(find(first, object)?);
    let by = match direction {
        Some(direction) => moved.dot(&Vector3::from(*direction)),
        None => moved.norm(),
    };
    ensure(by >= min_m, || format!("it moved by {:.1} mm", by * 1e3))
}

pub(super) fn check_displaced_by(
    truths: [&WorldTruth; 2],
    object: &ObjectId,
    by_m: &[f64; 2],
    tolerance_m: f64,
) -> Result<(), String> {
    let [first, last] = truths.map(|truth| find(truth, object).map(|o| origin(o).xy()));
    let moved = last? - first?;
    let off = (moved - Vector2::from(*by_m)).norm();
    ensure(off < tolerance_m, || {
        let [x, y] = [moved.x, moved.y].map(|m| 1e3 * m);
        format!("it moved by ({x:.1}, {y:.1}) mm, {:.1} mm off", off * 1e3)
    })
}

/// Whether the plug of an object is in the hole of another.
pub(super) fn check_inserted(
    object: &ObjectId,
    target: &ObjectId,
    inside: &Inside,
    last: &WorldTruth,
) -> Result<(), String> {
    let (a, b) = (find(last, object)?, find(last, target)?);
    let (Some(plug), Some(hole)) = (
        last.port(object, PortKind::Plug),
        last.port(target, PortKind::Hole),
    ) else {
        return Err(format!("{object} has no plug, or {target} no hole"));
    };
    let mating = hole.mating(plug, &b.world_from_object, &a.world_from_object);
    let [y, z] = mating.aside_m;
    let holds = match inside {
        Inside::AtLeast {
            min_depth_m,
            max_aside_m,
        } => mating.depth_m >= *min_depth_m && y.abs().max(z.abs()) <= *max_aside_m,
        Inside::At {
            depth_m,
            tolerance_m,
            max_angle_rad,
        } => {
            let off = Vector3::new(mating.depth_m - depth_m, y, z).norm();
            off <= *tolerance_m && mating.angle_rad <= *max_angle_rad
        }
    };
    ensure(holds, || {
        format!(
            "its tip is {:.1} mm in, {:.1} and {:.1} mm beside the axis, turned by {:.3} rad",
            mating.depth_m * 1e3,
            y * 1e3,
            z * 1e3,
            mating.angle_rad
        )
    })
}
