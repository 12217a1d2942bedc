//! Success conditions: requirements on the world at the end of an episode.
//!
//! A condition is a type with its fields, validity checks, judgement and text. The list in
//! `conditions!` below names each of them once, and generates the enum with its serialisation,
//! schemas and dispatch.
//!
//! A new condition needs a type in the file of similar ones, a row in that list, a sample in
//! `tests/data/conditions.json` (which a test requires), and a row in the table of `docs/files.md`.

use std::fmt;

use regrasp_api::{ObjectId, clash};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::GroundTruth;
use crate::condition::{Condition, Evidence, Finding, Objects, Unmet};
use crate::known::{Known, Step, Wrong};

mod combined;
mod containers;
mod joints;
mod poses;
mod predicates;
mod relations;
mod robot;

pub use containers::Region;
pub use poses::Point;
pub use predicates::{Box3, Predicate};

/// Collects the [`Objects`] of a condition from the named fields: `moves` is an object that it
/// moves, `names` one that it only names, `each` a list of these. Without fields, it collects those
/// of the condition's parts.
macro_rules! objects {
    ($of:ident) => {
        $of.objects_of_parts()
    };
    ($of:ident $(moves $moved:ident)? $(names $one:ident)? $(each $each:ident)?) => {
        Objects {
            named: std::iter::empty()
                $(.chain([&$of.$moved]))?
                $(.chain([&$of.$one]))?
                $(.chain(&$of.$each))?
                .collect(),
            moved: vec![$(&$of.$moved)?],
        }
    };
}

/// Generates [`Success`] from rows with a condition's name in files, its module and type, and its
/// fields with objects.
macro_rules! conditions {
    ($($name:literal => $module:ident :: $Type:ident $(($($objects:ident)*))?,)*) => {
        $(pub use $module::$Type;)*

        /// Condition on the world at the end of an episode. Each is documented at its type.
        #[derive(Clone, PartialEq, serde::Serialize)]
        #[expect(missing_docs, reason = "each variant is documented at its type")]
        pub enum Success {
            $(#[serde(rename = $name)] $Type($Type),)*
        }

        impl Success {
            /// Names of all conditions in files.
            pub const NAMES: &[&str] = &[$($name),*];

            fn named(&self) -> (&'static str, &dyn Condition) {
                match self {
                    $(Self::$Type(condition) => ($name, condition),)*
                }
            }

            fn named_mut(&mut self) -> (&'static str, &mut dyn Condition) {
                match self {
                    $(Self::$Type(condition) => ($name, condition),)*
                }
            }

            /// Returns the objects that the condition is about.
            fn about(&self) -> Objects<'_> {
                match self {
                    $(Self::$Type(condition) => objects!(condition $($($objects)*)?),)*
                }
            }

            fn read<'de, A: MapAccess<'de>>(name: &str, map: &mut A) -> Result<Self, A::Error> {
                match name {
                    $($name => map.next_value().map(Self::$Type),)*
                    unknown => Err(A::Error::unknown_variant(unknown, Self::NAMES)),
                }
            }

            fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($name, $Type::json_schema(generator))),*]
            }
        }

        $(impl From<$Type> for Success {
            fn from(condition: $Type) -> Self {
                Self::$Type(condition)
            }
        })*
    };
}

conditions! {
    "all" => combined::All,
    "any" => combined::Any,
    "not" => combined::Not,
    "lifted" => poses::Lifted (moves object),
    "on" => relations::On (moves object names target),
    "at" => poses::At (moves object),
    "joint_at" => joints::JointAt (moves object),
    "joints_at_home" => robot::JointsAtHome,
    "unmoved" => poses::Unmoved (each objects),
    "untouched" => robot::Untouched (each except),
    "released" => robot::Released (each object),
    "static" => poses::Static (names object),
    "robot_static" => robot::RobotStatic,
    "in" => containers::In (moves object each target),
    "touching" => relations::Touching (moves object names target),
    "upright" => poses::Upright (moves object),
    "apart" => relations::Apart (moves object names target),
    "displaced" => poses::Displaced (moves object),
    "displaced_by" => poses::DisplacedBy (moves object),
    "inserted" => relations::Inserted (moves object names target),
    "pressed" => joints::Pressed (moves object),
    "contains" => containers::Contains (names container),
    "spilled" => containers::Spilled,
    "visited" => robot::Visited (moves object each targets),
    "avoided" => robot::Avoided (names object each targets),
    "held_for" => combined::HeldFor,
    "predicates" => predicates::Predicates,
}

impl Success {
    /// Checks the whole condition of a task against a scene, and fills in values that only the
    /// scene knows: the home configuration, the goal point, the other objects, the travel of a
    /// drawer.
    ///
    /// # Errors
    ///
    /// [`Wrong`]: the first mistake, its place, and how to correct it.
    pub fn fitted(mut self, mut known: Known<'_>) -> Result<Self, Wrong> {
        let named = self.objects();
        known.others.retain(|id| !named.contains(&id));
        self.fit(&known)?;
        match self.conflict() {
            Some(conflict) => Err(Wrong::conflict(conflict)),
            None => Ok(self),
        }
    }

    /// Returns goals of the condition that cannot hold together, as text, if there are any.
    pub fn conflict(&self) -> Option<String> {
        let goals = self.named().1.goals();
        clash(&goals.iter().map(|goal| (goal, true)).collect::<Vec<_>>())
    }

    /// Checks a part of the condition.
    pub(crate) fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        let (name, condition) = self.named_mut();
        let fitted = condition.fit(known);
        fitted.map_err(|wrong| wrong.inside(Step::Key(name)))
    }

    /// Returns all parts that do not hold at `last`; empty on success. A condition on a NaN does
    /// not hold. Of `held_for`, only the condition inside is judged, at that moment.
    pub fn unmet(&self, first: &GroundTruth, last: &GroundTruth) -> Vec<Unmet> {
        let after = None;
        self.unmet_in(&Evidence { first, last, after })
    }

    /// Returns all parts that do not hold according to the evidence, which should cover the time
    /// [`Success::watch_secs`] after the end.
    pub fn unmet_in(&self, seen: &Evidence<'_>) -> Vec<Unmet> {
        match self.named().1.judge(seen) {
            Ok(()) => Vec::new(),
            Err(Finding::Parts(unmet)) => unmet,
            Err(Finding::Itself(found)) => {
                let condition = self.to_string();
                vec![Unmet { condition, found }]
            }
        }
    }

    /// Returns the objects that the condition names, in order, each once.
    pub fn objects(&self) -> Vec<&ObjectId> {
        let mut seen = Vec::new();
        for id in self.about().named {
            if !seen.contains(&id) {
                seen.push(id);
            }
        }
        seen
    }

    /// Returns the objects that have to be brought into another place or state, for which the robot
    /// needs fingers. Objects that only have to be somewhere, to stay or to rest are not included.
    pub fn moved(&self) -> Vec<&ObjectId> {
        self.about().moved
    }

    /// Returns the time after the end for which the world has to be watched to judge the condition,
    /// s.
    pub fn watch_secs(&self) -> f64 {
        self.named().1.watch_secs()
    }
}

impl fmt::Debug for Success {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.named().1, f)
    }
}

impl fmt::Display for Success {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.named().1.write(f)
    }
}

/// Reads `name: {field: value}`, or a list of conditions that must all hold.
impl<'de> Deserialize<'de> for Success {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SuccessVisitor)
    }
}

struct SuccessVisitor;

impl<'de> Visitor<'de> for SuccessVisitor {
    type Value = Success;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a condition such as `released: {}`, or a list of conditions")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Success, A::Error> {
        let none_or_many = |found: &str| {
            let names = Success::NAMES.join(", ");
            A::Error::custom(format!(
                "a condition needs exactly one key of {names}; put several conditions into a list; \
                 found {found}"
            ))
        };
        let name: String = map.next_key()?.ok_or_else(|| none_or_many("none"))?;
        let condition = Success::read(&name, &mut map)?;
        match map.next_key::<String>()? {
            None => Ok(condition),
            Some(more) => Err(none_or_many(&format!("{name} and {more}"))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Success, A::Error> {
        let mut all = Vec::new();
        while let Some(condition) = list.next_element()? {
            all.push(condition);
        }
        Ok(All(all).into())
    }
}

impl JsonSchema for Success {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "condition".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let all = All::json_schema(generator);
        let schemas = Self::schemas(generator).into_iter();
        let schemas = schemas.map(|(name, schema)| (name.to_owned(), schema.into()));
        let properties: serde_json::Map<_, _> = schemas.collect();
        let one = json_schema!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        });
        json_schema!({ "anyOf": [all, one] })
    }
}
