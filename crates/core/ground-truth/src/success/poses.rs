//! Conditions on one object: its place, its orientation, and its motion since the start.

use std::fmt;

use nalgebra::{Vector2, Vector3};
use regrasp_api::{Goal, ObjectId, Upright as Axis};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::condition::{Condition, Evidence, Finding, ensure, joined, mm, origin};
use crate::known::{Known, Wrong, coordinates, positive};

/// The object's origin is at a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// The object.
    pub object: ObjectId,
    /// `[x, y, z]` in World, m, or `goal` for the task's goal point.
    #[schemars(schema_with = "point_schema")]
    pub point: Point,
    /// Largest distance from the point, m.
    pub tolerance_m: f64,
}

impl Condition for At {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        match (&self.point, known.goal) {
            (Point::InWorld(point), _) => coordinates("point", point)?,
            (Point::Goal, Some(goal)) => self.point = Point::InWorld(goal),
            (Point::Goal, None) => {
                let right = "a point [x, y, z]: the task has no `goal`";
                return Err(Wrong::value("point", "`goal`", right));
            }
        }
        positive("tolerance_m", self.tolerance_m)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let Point::InWorld(point) = self.point else {
            return Err(Finding::Itself("the task has no goal point".to_owned()));
        };
        let off = (origin(seen.object(&self.object)?) - Vector3::from(point)).norm();
        ensure(off <= self.tolerance_m, || {
            format!("its origin is {} off", mm(off))
        })
    }

    fn goals(&self) -> Vec<Goal> {
        let at = |point: [f64; 3]| Goal::At {
            object: self.object.clone(),
            position: point.into(),
            tolerance_m: self.tolerance_m,
            released: false,
        };
        match self.point {
            Point::InWorld(point) => vec![at(point)],
            Point::Goal => vec![],
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (object, point, off) = (&self.object, &self.point, mm(self.tolerance_m));
        write!(f, "at({object}, {point}, within {off})")
    }
}

const GOAL: &str = "goal";

/// Point that a task names.
#[derive(Clone, Copy, Debug, PartialEq, derive_more::Display)]
pub enum Point {
    /// Goal point of the task, which the scene defines.
    #[display("{GOAL}")]
    Goal,
    /// Point in World, m.
    #[display("{:.3}, {:.3}, {:.3}", _0[0], _0[1], _0[2])]
    InWorld([f64; 3]),
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Goal => GOAL.serialize(serializer),
            Self::InWorld(point) => point.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PointVisitor)
    }
}

struct PointVisitor;

impl<'de> Visitor<'de> for PointVisitor {
    type Value = Point;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a point [x, y, z], or the word `goal`")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Point, E> {
        match word {
            GOAL => Ok(Point::Goal),
            _ => Err(E::invalid_type(Unexpected::Str(word), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Point, A::Error> {
        let mut point = Vec::new();
        while let Some(x) = list.next_element()? {
            point.push(x);
        }
        let point = point.try_into().map_err(|given: Vec<f64>| {
            A::Error::invalid_length(given.len(), &"a list of 3 numbers")
        })?;
        Ok(Point::InWorld(point))
    }
}

fn point_schema(generator: &mut SchemaGenerator) -> Schema {
    let point = generator.subschema_for::<[f64; 3]>();
    json_schema!({ "anyOf": [{ "const": GOAL }, point] })
}

/// An axis of the object points up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Upright {
    /// The object.
    pub object: ObjectId,
    /// Axis in the object's frame; z if left out.
    #[serde(default = "z", deserialize_with = "axis")]
    #[schemars(with = "String", extend("enum" = Axis::WORDS))]
    pub axis: Axis,
    /// Largest tilt, rad.
    pub max_tilt_rad: f64,
}

impl Condition for Upright {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        positive("max_tilt_rad", self.max_tilt_rad)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let rotation = &seen.object(&self.object)?.world_from_object.rotation;
        let tilt = self.axis.tilt_rad(rotation);
        ensure(tilt <= self.max_tilt_rad, || {
            format!("it is tilted by {tilt:.3} rad")
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "upright({}, ", self.object)?;
        if self.axis != Axis::Z {
            write!(f, "{}, ", self.axis)?;
        }
        write!(f, "within {} rad)", self.max_tilt_rad)
    }
}

fn z() -> Axis {
    Axis::Z
}

fn axis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Axis, D::Error> {
    let word = String::deserialize(deserializer)?;
    let unknown = |_| D::Error::unknown_variant(&word, &Axis::WORDS);
    word.parse().map_err(unknown)
}

/// The object's origin is higher than at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lifted {
    /// The object.
    pub object: ObjectId,
    /// Least rise of the origin, m.
    pub min_height_m: f64,
}

impl Condition for Lifted {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        positive("min_height_m", self.min_height_m)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let rise = seen.moved(&self.object)?.z;
        ensure(rise >= self.min_height_m, || {
            format!("it rose by {}", mm(rise))
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = mm(self.min_height_m);
        write!(f, "lifted({}, at least {by})", self.object)
    }
}

/// The object's origin has moved since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Displaced {
    /// The object.
    pub object: ObjectId,
    /// Direction in World of the measured motion, two or three numbers; any if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 3))]
    pub direction: Option<Vec<f64>>,
    /// Least displacement of the origin, m.
    pub min_m: f64,
}

impl Condition for Displaced {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        if let Some(given) = &self.direction {
            let wrong = |got: &str, allowed| Err(Wrong::value("direction", got, allowed));
            coordinates("direction", given)?;
            if !(2..=3).contains(&given.len()) {
                let got = format!("a list of {}", given.len());
                return wrong(&got, "a list of 2 or 3 numbers");
            }
            if unit(given).is_none() {
                return wrong("of length 0", "a vector of non-zero length");
            }
        }
        positive("min_m", self.min_m)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let moved = seen.moved(&self.object)?;
        let by = match &self.direction {
            Some(direction) => moved.dot(&unit(direction).unwrap_or_default()),
            None => moved.norm(),
        };
        ensure(by >= self.min_m, || format!("it moved by {}", mm(by)))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = mm(self.min_m);
        write!(f, "displaced({}, at least {by}", self.object)?;
        if let Some(unit) = self.direction.as_deref().and_then(unit) {
            let [x, y, z]: [f64; 3] = unit.into();
            write!(f, " along ({x:.2}, {y:.2}, {z:.2})")?;
        }
        f.write_str(")")
    }
}

fn unit(direction: &[f64]) -> Option<Vector3<f64>> {
    let at = |i| direction.get(i).copied().unwrap_or_default();
    Vector3::new(at(0), at(1), at(2)).try_normalize(1e-9)
}

/// The object's origin has moved horizontally by a given vector since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplacedBy {
    /// The object.
    pub object: ObjectId,
    /// Motion along x and y of World, m.
    pub by_m: [f64; 2],
    /// Largest deviation from `by_m`, m.
    pub tolerance_m: f64,
}

impl Condition for DisplacedBy {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        coordinates("by_m", &self.by_m)?;
        positive("tolerance_m", self.tolerance_m)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let moved = seen.moved(&self.object)?.xy();
        let off = (moved - Vector2::from(self.by_m)).norm();
        ensure(off < self.tolerance_m, || {
            let [x, y] = [moved.x, moved.y].map(|m| 1e3 * m);
            format!("it moved by ({x:.1}, {y:.1}) mm, {} off", mm(off))
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y], off) = (self.by_m, mm(self.tolerance_m));
        write!(
            f,
            "displaced_by({}, by {x:.3}, {y:.3}, within {off})",
            self.object
        )
    }
}

/// Objects have not moved since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unmoved {
    /// The objects; `others` alone stands for every movable object that no other condition names.
    pub objects: Vec<ObjectId>,
    /// Largest allowed movement of each object, m.
    pub tolerance_m: f64,
}

impl Condition for Unmoved {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        match self.objects.as_slice() {
            [only] if only.as_str() == OTHERS => self.objects.clone_from(&known.others),
            objects => known.objects("objects", objects)?,
        }
        positive("tolerance_m", self.tolerance_m)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        self.objects.iter().try_for_each(|object| {
            let moved = seen.moved(object)?.norm();
            ensure(moved <= self.tolerance_m, || {
                format!("{object} moved by {}", mm(moved))
            })
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (objects, off) = (joined(&self.objects), mm(self.tolerance_m));
        write!(f, "unmoved({objects}, within {off})")
    }
}

/// Name for all movable objects that no other condition names.
const OTHERS: &str = "others";

/// The object is at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Static {
    /// The object.
    pub object: ObjectId,
    /// Largest speed of its origin, m/s.
    pub max_linear_m_per_s: f64,
    /// Largest angular speed, rad/s.
    pub max_angular_rad_per_s: f64,
}

impl Condition for Static {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        positive("max_linear_m_per_s", self.max_linear_m_per_s)?;
        positive("max_angular_rad_per_s", self.max_angular_rad_per_s)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let object = seen.object(&self.object)?;
        let v = Vector3::from(object.linear_velocity).norm();
        let w = Vector3::from(object.angular_velocity).norm();
        let rests = v <= self.max_linear_m_per_s && w <= self.max_angular_rad_per_s;
        ensure(rests, || format!("it moves at {v:.4} m/s and {w:.4} rad/s"))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (v, w) = (self.max_linear_m_per_s, self.max_angular_rad_per_s);
        write!(f, "static({}, at most {v} m/s and {w} rad/s)", self.object)
    }
}
