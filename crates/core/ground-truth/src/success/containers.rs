//! Containment: an object in another, in a zone or a region, and small objects in containers.

use std::fmt;

use nalgebra::Point3;
use regrasp_api::{Goal, ObjectId, Shape, Zone};
use regrasp_relations::{BELOW_ZONE_M, is_bounded_inside};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Evidence, Finding, ensure, is_above, mm, origin};
use crate::known::{Known, Step, Wrong, coordinates, part, range};
use crate::{GroundTruth, GroundTruthObject};

/// The object is inside another, in a zone of it, or in a region of World: `target` with or without
/// `zone`, or `region`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{ "required": ["target"] }, { "required": ["region"] }]))]
pub struct In {
    /// The object.
    pub object: ObjectId,
    /// Container: the object's lowest point is in the container's cavity, which has walls on all
    /// sides, or a roof and walls on at least half of the sides. An object on a plate, on the wall
    /// of a bin or carried by the rim is not inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<ObjectId>,
    /// Zone of the target instead of its cavity, such as the top of a shelf: the object's centre is
    /// over the zone, and its lowest point or its origin is in it, or up to 10 mm below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// Region that contains the object's origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

impl Condition for In {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        match (&self.target, &self.region) {
            (Some(target), None) => {
                known.other("target", target, &self.object)?;
                let mut zones = self.zone.iter();
                zones.try_for_each(|zone| known.zone("zone", target, zone))
            }
            (None, Some(_)) if self.zone.is_some() => {
                Err(Wrong::keys("`target` together with `zone`", "region"))
            }
            (None, Some(region)) => region.fit().map_err(|w| w.inside(Step::Key("region"))),
            (None, None) => Err(Wrong::keys("one of target, region", "none")),
            (Some(_), Some(_)) => {
                let needs = "just one of target, region";
                Err(Wrong::keys(needs, "target and region"))
            }
        }
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let object = seen.object(&self.object)?;
        if let Some(target) = &self.target {
            let target = seen.object(target)?;
            match &self.zone {
                Some(zone) => is_in_zone(object, target, zone)?,
                None => is_inside(object, target)?,
            }
        }
        self.region
            .iter()
            .try_for_each(|region| region.judge(object))
    }

    fn goals(&self) -> Vec<Goal> {
        let inside = |target: &ObjectId| Goal::In {
            object: self.object.clone(),
            target: target.clone(),
        };
        self.target.iter().map(inside).collect()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in({}", self.object)?;
        if let Some(target) = &self.target {
            write!(f, ", {target}")?;
        }
        if let Some(zone) = &self.zone {
            write!(f, ", {zone}")?;
        }
        if let Some(region) = &self.region {
            write!(f, "{region}")?;
        }
        f.write_str(")")
    }
}

/// Box along the axes of World.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct Region {
    /// Lowest and highest x, m; any if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 2]>,
    /// Lowest and highest y, m; any if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 2]>,
    /// Lowest and highest z, m; any if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 2]>,
}

impl Region {
    fn ranges(&self) -> [(&'static str, Option<[f64; 2]>); 3] {
        [("x", self.x), ("y", self.y), ("z", self.z)]
    }

    fn fit(&self) -> Result<(), Wrong> {
        if self.ranges().iter().all(|(_, given)| given.is_none()) {
            return Err(Wrong::keys("one of x, y, z", "none"));
        }
        self.ranges().into_iter().try_for_each(|(axis, given)| {
            coordinates(axis, given.iter().flatten())?;
            range(axis, given)
        })
    }

    fn judge(&self, object: &GroundTruthObject) -> Result<(), Finding> {
        let at = origin(object);
        let is_in = |(i, (_, range)): (usize, (_, Option<[f64; 2]>))| {
            range.is_none_or(|[low, high]| (low..=high).contains(&at[i]))
        };
        ensure(self.ranges().into_iter().enumerate().all(is_in), || {
            format!("it is at x={:.4} y={:.4} z={:.4} m", at.x, at.y, at.z)
        })
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (axis, given) in self.ranges() {
            if let Some([low, high]) = given {
                write!(f, ", {axis} {low:.3} to {high:.3}")?;
            }
        }
        Ok(())
    }
}

/// Checks that an object's centre is above a zone, and its lowest point or its origin in it.
fn is_in_zone(
    object: &GroundTruthObject,
    target: &GroundTruthObject,
    zone: &Zone,
) -> Result<(), Finding> {
    let mut zones = target.zones.iter();
    let Some(known) = zones.find(|known| known.name == zone.as_str()) else {
        return Err(format!("{} has no zone {zone}", target.id).into());
    };
    let world_from_zone = target.world_from_object * known.object_from_zone();
    let half_extents = known.half_extents;
    let span = Shape::Box { half_extents }.aabb(&world_from_zone);
    let body = object.shape.aabb(&object.world_from_object);
    let (middle, lowest_m) = (body.center(), body.min[2]);
    let level = Point3::new(middle.x, middle.y, span.center().z);
    let at = world_from_zone.inverse() * level;
    let is_over = (0..2).all(|i| at[i].abs() <= half_extents[i]);
    let heights = span.min[2] - BELOW_ZONE_M..=span.max[2];
    let is_level = heights.contains(&lowest_m) || heights.contains(&origin(object).z);
    ensure(is_over && is_level, || {
        let [x, y] = [at.x * 1e3, at.y * 1e3];
        let up = mm(lowest_m - span.min[2]);
        format!(
            "its centre is {x:.1} mm along x and {y:.1} mm along y from that of the zone {zone} of \
             {}, and its lowest point is {up} above the zone's bottom",
            target.id
        )
    })
}

/// Checks that an object's lowest point is in the hollow of another, below the rim.
fn is_inside(object: &GroundTruthObject, target: &GroundTruthObject) -> Result<(), Finding> {
    let id = &target.id;
    ensure(is_above(object, target), || format!("it is not above {id}"))?;
    let a = object.shape.aabb(&object.world_from_object);
    let b = target.shape.aabb(&target.world_from_object);
    let inside = is_bounded_inside(&a, &target.shape, &target.world_from_object);
    ensure(inside, || {
        let [up, high] = [a.min[2], b.max[2]].map(|z| mm(z - b.min[2]));
        format!(
            "its lowest point is {up} above the bottom of {id}, which is {high} high: outside the \
             cavity"
        )
    })
}

/// At least a fraction of a group of small objects is in a container: below its rim and between
/// its walls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contains {
    /// Container.
    pub container: ObjectId,
    /// Group of small objects.
    pub what: ObjectId,
    /// Fraction of the group, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub at_least: f64,
}

impl Condition for Contains {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("container", &self.container)?;
        known.group("what", &self.what)?;
        part("at_least", self.at_least)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let container = seen.object(&self.container)?;
        let [n, all] = count(seen.last, &self.what, |bead| holds(container, bead))?;
        ensure(n as f64 >= self.at_least * all as f64, || {
            format!("{n} of {all} are in {}", container.id)
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (container, what) = (&self.container, &self.what);
        let percent = 100.0 * self.at_least;
        write!(
            f,
            "contains({container}, at least {percent:.0} % of {what})"
        )
    }
}

/// Counts the members of a group with a property, and all members.
pub(super) fn count(
    truth: &GroundTruth,
    group: &ObjectId,
    is_so: impl Fn(&GroundTruthObject) -> bool,
) -> Result<[usize; 2], Finding> {
    let all = truth.members(group).count();
    if all == 0 {
        return Err(format!("there are no {group} in the world").into());
    }
    Ok([truth.members(group).filter(|bead| is_so(bead)).count(), all])
}

/// Returns true if the centre of a small object is in the hollow of a container.
pub(super) fn holds(container: &GroundTruthObject, bead: &GroundTruthObject) -> bool {
    let middle = Point3::from(origin(bead));
    let bounds = container.shape.aabb(&container.world_from_object);
    let in_container = container.world_from_object.inverse_transform_point(&middle);
    bounds.contains(&middle) && container.shape.encloses(&in_container)
}

/// At most a fraction of a group of small objects is outside all containers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spilled {
    /// Group.
    pub what: ObjectId,
    /// Fraction of the group, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub at_most: f64,
}

impl Condition for Spilled {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.group("what", &self.what)?;
        part("at_most", self.at_most)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let anywhere = |bead: &GroundTruthObject| seen.last.objects.iter().any(|o| holds(o, bead));
        let [n, all] = count(seen.last, &self.what, |bead| !anywhere(bead))?;
        ensure(n as f64 <= self.at_most * all as f64, || {
            format!("{n} of {all} are outside all containers")
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.at_most;
        write!(f, "spilled({}, at most {percent:.0} %)", self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_says_how_far_below_its_zone_something_may_end() {
        let schema = schemars::schema_for!(In).to_value().to_string();
        let words = format!("or up to {:.0} mm below", 1e3 * BELOW_ZONE_M);
        assert!(schema.contains(&words), "`{words}` is not in {schema}");
    }
}
