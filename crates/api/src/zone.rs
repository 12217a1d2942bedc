//! Places of a thing: its left side, its front left corner, the back burner of a stove.

use std::fmt;

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Aabb, ObjectId, PerceivedObject, Percept, Pose, is_inside, is_supported_by};

/// A place of a thing: a side as the robot sees it from its base (`left`, `front`, `middle`,
/// `back_right`, `left_edge`), or one that is declared of the thing (`front_burner`).
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Zone(String);

/// A box in World, turned as the thing is that it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Its middle, and how it is turned.
    pub world_from_region: Pose,
    /// Half its size, m.
    pub half_extents: [f64; 3],
}

/// A place that is known of a thing without looking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownZone {
    /// What it is called, words joined by `_`.
    pub name: String,
    /// Its middle, in the frame of the thing, m.
    pub position: [f64; 3],
    /// Half its size along the axes of that frame, m.
    pub half_extents: [f64; 3],
}

/// Which part of a thing's size its middle takes, and an edge or a corner of something large.
const MIDDLE: f64 = 0.5;
const EDGE: f64 = 0.3;
/// What is longer than this is large, m: its edges and corners are less than a half.
const LARGE_M: f64 = 0.3;
/// How far below its region something may end, m.
const BELOW_M: f64 = 0.01;

impl Zone {
    /// The places that everything has.
    pub const SIDES: [&'static str; 13] = [
        "left",
        "right",
        "front",
        "back",
        "middle",
        "front_left",
        "front_right",
        "back_left",
        "back_right",
        "left_edge",
        "right_edge",
        "front_edge",
        "back_edge",
    ];

    /// A place by its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is declared of single things only.
    pub fn is_declared(&self) -> bool {
        !Self::SIDES.contains(&self.as_str())
    }

    /// As a box within a box: along each axis from 0 to 1.
    fn within(&self, size: &Vector3<f64>) -> Option<[[f64; 2]; 2]> {
        let words: Vec<&str> = self.0.split('_').collect();
        let narrow = words.len() > 1;
        let take = |i: usize| match narrow && size[i] > LARGE_M {
            true => EDGE,
            false => 0.5,
        };
        let mut ranges = [[0.0, 1.0]; 2];
        for word in words {
            match word {
                "left" => ranges[1] = [1.0 - take(1), 1.0],
                "right" => ranges[1] = [0.0, take(1)],
                "front" => ranges[0] = [0.0, take(0)],
                "back" => ranges[0] = [1.0 - take(0), 1.0],
                "middle" => ranges = [[0.5 - MIDDLE / 2.0, 0.5 + MIDDLE / 2.0]; 2],
                "edge" => {}
                _ => return None,
            }
        }
        Some(ranges)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Region {
    /// Whether a point in World is inside, seen from above.
    pub fn covers(&self, point: &Vector3<f64>) -> bool {
        let p = self.world_from_region.inverse() * nalgebra::Point3::from(*point);
        (0..2).all(|i| p[i].abs() <= self.half_extents[i])
    }

    /// The box around it.
    pub fn aabb(&self) -> Aabb {
        let half_extents = self.half_extents;
        crate::Shape::Box { half_extents }.aabb(&self.world_from_region)
    }
}

impl Percept {
    /// The place of a thing, if it has it.
    pub fn region(&self, whole: &ObjectId, zone: &Zone) -> Option<Region> {
        let object = self.object(whole)?;
        let known = self.known(whole);
        let declared = known.and_then(|k| k.zones.iter().find(|p| p.name == zone.as_str()));
        if let Some(declared) = declared {
            let [x, y, z] = declared.position;
            return Some(Region {
                world_from_region: object.world_from_object * Pose::translation(x, y, z),
                half_extents: declared.half_extents,
            });
        }
        let aabb = object.aabb_in_world();
        let size = aabb.size();
        let ranges = zone.within(&size)?;
        let middle = |i: usize| aabb.min[i] + size[i] * 0.5 * (ranges[i][0] + ranges[i][1]);
        let half = |i: usize| size[i] * 0.5 * (ranges[i][1] - ranges[i][0]);
        Some(Region {
            world_from_region: Pose::translation(middle(0), middle(1), aabb.center().z),
            half_extents: [half(0), half(1), 0.5 * size.z],
        })
    }

    /// Why an object is not at a place of another, if it is not.
    pub fn not_within(
        &self,
        object: &PerceivedObject,
        whole: &PerceivedObject,
        zone: &Zone,
    ) -> Option<String> {
        let Some(region) = self.region(&whole.id, zone) else {
            return Some(format!("{} has no {zone}", whole.id));
        };
        let (center, aabb) = (object.aabb_in_world().center(), region.aabb());
        let outside = !region.covers(&center.coords);
        let at_height = match zone.is_declared() {
            true => {
                let lowest_m = object.aabb_in_world().min[2];
                (aabb.min[2] - BELOW_M..=aabb.max[2]).contains(&lowest_m)
            }
            false => is_supported_by(object, whole) || is_inside(object, whole),
        };
        (outside || !at_height).then(|| {
            let (id, whole) = (&object.id, &whole.id);
            let [x, y] = [center.x, center.y];
            let seen = if outside { "beside it" } else { "not on it" };
            format!(
                "{id} is not at the {zone} of {whole}: its middle is {seen}, at x={x:.3} y={y:.3}"
            )
        })
    }
}
