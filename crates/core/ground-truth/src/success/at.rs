//! `at`: an object is at a point.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::ObjectId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::condition::{Condition, Found, Seen, ensure, mm, origin};
use crate::known::{Known, Wrong, coordinates, positive};

/// The object's origin is at a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// Which.
    pub object: ObjectId,
    /// Where: `[x, y, z]` in World, m, or `goal` for the task's goal point.
    #[schemars(schema_with = "point_schema")]
    pub point: Point,
    /// How far off it may be, m.
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

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let Point::InWorld(point) = self.point else {
            return Err(Found::Itself("the task has no goal point".to_owned()));
        };
        let off = (origin(seen.object(&self.object)?) - Vector3::from(point)).norm();
        ensure(off <= self.tolerance_m, || {
            format!("it is {:.1} mm off", off * 1e3)
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (object, point, off) = (&self.object, &self.point, mm(self.tolerance_m));
        write!(f, "at({object}, {point}, within {off})")
    }
}

/// The word for the task's goal point.
const GOAL: &str = "goal";

/// A place that a task names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point {
    /// The task's goal point; the scene says where that is.
    Goal,
    /// In World, m.
    InWorld([f64; 3]),
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goal => f.write_str(GOAL),
            Self::InWorld([x, y, z]) => write!(f, "{x:.3}, {y:.3}, {z:.3}"),
        }
    }
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
