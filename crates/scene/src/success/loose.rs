//! Conditions on where small things are that are counted.

use nalgebra::Point3;
use regrasp_api::ObjectId;
use regrasp_truth::{TrueObject, WorldTruth};

use super::{ensure, find, origin};

/// Whether at least a part of a group is in a container.
pub(super) fn check_contains(
    container: &ObjectId,
    group: &ObjectId,
    at_least: f64,
    last: &WorldTruth,
) -> Result<(), String> {
    let container = find(last, container)?;
    let [n, all] = count(last, group, |bead| holds(container, bead))?;
    ensure(n as f64 >= at_least * all as f64, || {
        format!("{n} of {all} are in {}", container.id)
    })
}

/// Whether at most a part of a group is in nothing.
pub(super) fn check_spilled(
    group: &ObjectId,
    at_most: f64,
    last: &WorldTruth,
) -> Result<(), String> {
    let anywhere = |bead: &TrueObject| last.objects.iter().any(|o| holds(o, bead));
    let [n, all] = count(last, group, |bead| !anywhere(bead))?;
    ensure(n as f64 <= at_most * all as f64, || {
        format!("{n} of {all} are in no container")
    })
}

/// How many of a group there are with that property, and how many in all.
fn count(
    truth: &WorldTruth,
    group: &ObjectId,
    is_so: impl Fn(&TrueObject) -> bool,
) -> Result<[usize; 2], String> {
    let all = truth.members(group).count();
    if all == 0 {
        return Err(format!("there are no {group} in the world"));
    }
    Ok([truth.members(group).filter(|bead| is_so(bead)).count(), all])
}

/// Whether the middle of something small is in the hollow of an object.
fn holds(container: &TrueObject, bead: &TrueObject) -> bool {
    let middle = Point3::from(origin(bead));
    let bounds = container.shape.aabb(&container.world_from_object);
    let in_container = container.world_from_object.inverse_transform_point(&middle);
    bounds.contains(&middle) && container.shape.encloses(&in_container)
}
