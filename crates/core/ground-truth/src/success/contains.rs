//! `contains`: a part of many small things is in a container.

use std::fmt;

use nalgebra::Point3;
use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, origin};
use crate::known::{Known, Wrong, part};
use crate::{TrueObject, WorldTruth};

/// Of many small things at least a part is in a container: below its rim, its walls around
/// them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contains {
    /// In what.
    pub container: ObjectId,
    /// The group.
    pub what: ObjectId,
    /// Which part of all of them, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub at_least: f64,
}

impl Condition for Contains {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("container", &self.container)?;
        known.group("what", &self.what)?;
        part("at_least", self.at_least)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let container = seen.object(&self.container)?;
        let [n, all] = count(seen.last, &self.what, |bead| holds(container, bead))?;
        ensure(n as f64 >= self.at_least * all as f64, || {
            format!("{n} of {all} are in {}", container.id)
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.container]
    }
}

impl fmt::Display for Contains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (container, what) = (&self.container, &self.what);
        let percent = 100.0 * self.at_least;
        write!(
            f,
            "contains({container}, at least {percent:.0} % of {what})"
        )
    }
}

/// How many of a group there are with that property, and how many in all.
pub(super) fn count(
    truth: &WorldTruth,
    group: &ObjectId,
    is_so: impl Fn(&TrueObject) -> bool,
) -> Result<[usize; 2], Found> {
    let all = truth.members(group).count();
    if all == 0 {
        return Err(format!("there are no {group} in the world").into());
    }
    Ok([truth.members(group).filter(|bead| is_so(bead)).count(), all])
}

/// Whether the middle of something small is in the hollow of an object.
pub(super) fn holds(container: &TrueObject, bead: &TrueObject) -> bool {
    let middle = Point3::from(origin(bead));
    let bounds = container.shape.aabb(&container.world_from_object);
    let in_container = container.world_from_object.inverse_transform_point(&middle);
    bounds.contains(&middle) && container.shape.encloses(&in_container)
}
