//! Calls that can follow a pick, and their arguments.

use std::str::FromStr;

use regrasp_api::{Fact, Goal, Relation, Side, Zone};
use schemars::JsonSchema;
use serde::Deserialize;

/// Call that can follow a pick.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "skill", rename_all = "snake_case")]
pub enum NextCall {
    /// Put it on something.
    PlaceOn(PlaceOnArgs),
    /// Put it beside something.
    PlaceBeside(PlaceBesideArgs),
    /// Put it down at a point.
    PlaceAt(PlaceAtArgs),
    /// Put it down out of the way.
    PlaceAside(PlaceAsideArgs),
    /// Hold it at a point.
    CarryTo(CarryToArgs),
    /// Set it upright.
    Reorient(ReorientArgs),
    /// Pour what is in it.
    Pour(PourArgs),
    /// Put it into a hole.
    Insert(InsertArgs),
}

/// Arguments of [`PlaceOn`](crate::PlaceOn).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceOnArgs {
    /// What to put it on: an id, or a phrase such as "the plate" or "the table".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// A second object of the same height beside the first: it is put across both.
    #[serde(default)]
    #[schemars(extend("x-names-object" = true))]
    pub also: Option<String>,
    /// A place of the target, such as `left_edge` or one that is declared of it; left out, any.
    #[serde(default)]
    #[schemars(extend("x-rarely" = true))]
    pub zone: Option<Zone>,
    /// A relation to the target in which it is put instead, such as `under`.
    #[serde(default)]
    #[schemars(extend("x-rarely" = true))]
    pub relation: Option<Relation>,
}

/// Arguments of [`PlaceAt`](crate::PlaceAt).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceAtArgs {
    /// Forward from the world's origin, m.
    pub x: f64,
    /// To the left of the world's origin, m.
    pub y: f64,
    /// Height of the object's origin, m; left out, it is put on whatever is there.
    #[serde(default)]
    pub z: Option<f64>,
}

/// Arguments of [`PlaceAside`](crate::PlaceAside).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceAsideArgs {
    /// Goals that hold or are still to be brought about, such as `on(red_cube, plate)`: it is put where
    /// they can hold.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("x-rarely" = true))]
    pub keeping: Vec<StatedGoal>,
}

/// A goal that is read from its notation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct StatedGoal(pub Goal);

impl TryFrom<String> for StatedGoal {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Fact::from_str(&text).map(|fact| Self(fact.into()))
    }
}

/// Arguments of [`PlaceBeside`](crate::PlaceBeside).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceBesideArgs {
    /// What to put it beside: an id, or a phrase such as "the red cube".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// On which side, as the robot sees it; left out, wherever is nearest.
    #[serde(default)]
    pub side: Option<Side>,
    /// Whether right beside it, side against side, with no room between.
    #[serde(default)]
    pub close: bool,
    /// A second object: it is put between the two.
    #[serde(default)]
    #[schemars(extend("x-names-object" = true, "x-rarely" = true))]
    pub also: Option<String>,
}

/// Arguments of [`CarryTo`](crate::CarryTo): where the object's origin should be, in World.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CarryToArgs {
    /// Forward from the world's origin, m.
    pub x: f64,
    /// To the left of the world's origin, m.
    pub y: f64,
    /// Up from the world's origin, m.
    pub z: f64,
}

/// Arguments of [`Reorient`](crate::Reorient): none.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReorientArgs {}

/// Arguments of [`Pour`](crate::Pour).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PourArgs {
    /// Into what: an open container, an id or a phrase such as "the bowl".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// Which part of what is poured has to arrive there, from 0 to 1; 0.8 if left out.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-rarely" = true))]
    pub at_least: Option<f64>,
}

/// Arguments of [`Insert`](crate::Insert).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertArgs {
    /// What has the hole, or the peg that goes into what is held: an id, or a phrase such as
    /// "the box".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
}
