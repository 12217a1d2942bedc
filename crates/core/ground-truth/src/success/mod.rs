//! Success conditions: what must be true of the world when an episode is over.
//!
//! A condition is a type: its fields, what makes it invalid, how it is judged, its words. The
//! list below names each once; the enum, reading, writing, schemas and dispatch follow from it.
//!
//! A new condition is a type in the file of its kin, and its row in the list. A test wants a sample
//! of it, another tells how to write the schema anew, and the docs of `regrasp-scene` list it.

use std::fmt;

use regrasp_api::{ObjectId, clash};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::GroundTruth;
use crate::condition::{Condition, Evidence, Finding, Unmet};
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

/// Makes [`Success`] of a list: what a condition is called in files, its module, its type.
macro_rules! conditions {
    ($($name:literal => $module:ident :: $Type:ident,)*) => {
        $(pub use $module::$Type;)*

        /// A condition on the world at the end of an episode. Each is documented at its type.
        #[derive(Clone, PartialEq, serde::Serialize)]
        #[expect(missing_docs, reason = "each variant is documented at its type")]
        pub enum Success {
            $(#[serde(rename = $name)] $Type($Type),)*
        }

        impl Success {
            /// Every condition, as files call it.
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

            /// Reads the condition that a key names.
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
    "lifted" => poses::Lifted,
    "on" => relations::On,
    "at" => poses::At,
    "joint_at" => joints::JointAt,
    "joints_at_home" => robot::JointsAtHome,
    "unmoved" => poses::Unmoved,
    "untouched" => robot::Untouched,
    "released" => robot::Released,
    "static" => poses::Static,
    "robot_static" => robot::RobotStatic,
    "in" => containers::In,
    "touching" => relations::Touching,
    "upright" => poses::Upright,
    "apart" => relations::Apart,
    "displaced" => poses::Displaced,
    "displaced_by" => poses::DisplacedBy,
    "inserted" => relations::Inserted,
    "pressed" => joints::Pressed,
    "contains" => containers::Contains,
    "spilled" => containers::Spilled,
    "visited" => robot::Visited,
    "avoided" => robot::Avoided,
    "held_for" => combined::HeldFor,
    "predicates" => predicates::Predicates,
}

impl Success {
    /// Checks the whole condition of a task against a scene, and fills in what only the scene
    /// knows: the home configuration, the goal point, who the others are, how far a drawer opens.
    ///
    /// # Errors
    ///
    /// [`Wrong`]: the first thing that does not fit, where it is, and what would be right.
    pub fn fitted(mut self, mut known: Known<'_>) -> Result<Self, Wrong> {
        let named = self.objects();
        known.others.retain(|id| !named.contains(&id));
        self.fit(&known)?;
        match self.conflict() {
            Some(said) => Err(Wrong::conflict(said)),
            None => Ok(self),
        }
    }

    /// Those of its goals that cannot hold at the same time, if it can never hold for that.
    pub fn conflict(&self) -> Option<String> {
        let goals = self.named().1.goals();
        clash(&goals.iter().map(|goal| (goal, true)).collect::<Vec<_>>())
    }

    /// The same for a part of it.
    pub(crate) fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        let (name, condition) = self.named_mut();
        let fitted = condition.fit(known);
        fitted.map_err(|wrong| wrong.inside(Step::Key(name)))
    }

    /// Everything that does not hold at one moment; empty on success. A value that is not a
    /// number holds nowhere. What has to go on holding need only hold then.
    pub fn unmet(&self, first: &GroundTruth, last: &GroundTruth) -> Vec<Unmet> {
        let after = None;
        self.unmet_in(&Evidence { first, last, after })
    }

    /// The same for all that a judge sees, also in the time [`Success::watch_secs`] after the end.
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

    /// The objects that the condition names, in order, each once.
    pub fn objects(&self) -> Vec<&ObjectId> {
        let mut seen = Vec::new();
        for id in self.named().1.objects().named {
            if !seen.contains(&id) {
                seen.push(id);
            }
        }
        seen
    }

    /// The objects that the condition wants in another place or state than before: what it
    /// takes fingers to bring about. What only has to be somewhere, to stay or to rest is not
    /// among them.
    pub fn moved(&self) -> Vec<&ObjectId> {
        self.named().1.objects().moved
    }

    /// For how long the world has to be watched after the end to judge this, s.
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

/// Reads `name: {field: value}`, or a list of which all must hold.
impl<'de> Deserialize<'de> for Success {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SuccessVisitor)
    }
}

struct SuccessVisitor;

impl<'de> Visitor<'de> for SuccessVisitor {
    type Value = Success;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Success, A::Error> {
        let none_or_many = |found: &str| {
            let names = Success::NAMES.join(", ");
            A::Error::custom(format!(
                "a condition needs exactly one of {names} (several go into a list), found {found}"
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
        let properties: serde_json::Map<_, _> = Self::schemas(generator)
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), schema.into()))
            .collect();
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
