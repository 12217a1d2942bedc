//! Calls that can follow a pick, and lookahead to them, so that a grasp suits the next use.

mod destination;
mod feasibility;
mod placing;

use std::str::FromStr;

use regrasp_api::{Fact, Goal, Relation, Side, Zone};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) use destination::{Lookahead, Purpose};
pub(crate) use feasibility::{Feasibility, Lifted};
pub(crate) use placing::{PlacementArgs, Placing};

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
    /// Pour its contents.
    Pour(PourArgs),
    /// Put it into a hole.
    Insert(InsertArgs),
}

/// Arguments of [`PlaceOn`](crate::PlaceOn).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceOnArgs {
    /// Object to put it on, by id or a phrase such as "the plate" or "the table".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// Second object of the same height beside the first: it is put across both.
    #[schemars(extend("x-names-object" = true))]
    pub also: Option<String>,
    /// Place on the target, such as `left_edge` or a declared one; any if left out.
    #[schemars(extend("x-rarely" = true))]
    pub zone: Option<Zone>,
    /// Relation to the target, such as `under`, instead of on it.
    #[schemars(extend("x-rarely" = true))]
    pub relation: Option<Relation>,
    /// Goals of other objects on the target that have to remain possible, such as
    /// `on(red_cube, plate)`.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("x-rarely" = true))]
    pub keeping: Vec<StatedGoal>,
    /// Further goals of the held object that have to hold at the place, such as
    /// `left_of(red_cube, bowl)`.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("x-rarely" = true))]
    pub meeting: Vec<StatedGoal>,
}

/// Arguments of [`PlaceAt`](crate::PlaceAt).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceAtArgs {
    /// Forward from the world's origin, m.
    pub x: f64,
    /// To the left of the world's origin, m.
    pub y: f64,
    /// Height of the object's origin, m; on whatever is there if left out.
    pub z: Option<f64>,
}

/// Arguments of [`PlaceAside`](crate::PlaceAside).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceAsideArgs {
    /// Goals that have to remain possible, such as `on(red_cube, plate)`.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("x-rarely" = true))]
    pub keeping: Vec<StatedGoal>,
}

/// A goal in its notation, such as `on(red_cube, plate)` or `not on(red_cube, table)`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct StatedGoal(pub Goal);

impl TryFrom<String> for StatedGoal {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let Some(off) = text.strip_prefix("not on") else {
            return Fact::from_str(&text).map(|fact| Self(fact.into()));
        };
        let on = Fact::from_str(&format!("on{off}"))?;
        let of: Vec<&str> = on.of.iter().map(String::as_str).collect();
        Ok(Self(Fact::new("not on", &of).into()))
    }
}

/// Arguments of [`PlaceBeside`](crate::PlaceBeside).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceBesideArgs {
    /// Object to put it beside, by id or a phrase such as "the red cube".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// Side, as the robot sees it; the nearest if left out.
    pub side: Option<Side>,
    /// Right beside it: side against side, with no gap.
    #[serde(default)]
    pub close: bool,
    /// Second object: it is put between the two.
    #[schemars(extend("x-names-object" = true, "x-rarely" = true))]
    pub also: Option<String>,
    /// Further goals of the held object that have to hold at the place, such as
    /// `left_of(red_cube, bowl)`.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("x-rarely" = true))]
    pub meeting: Vec<StatedGoal>,
}

/// Arguments of [`CarryTo`](crate::CarryTo): the goal of the object's origin in World.
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
    /// Open container, by id or a phrase such as "the bowl".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// Fraction of the contents that has to arrive, from 0 to 1; 0.8 if left out.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-rarely" = true))]
    pub at_least: Option<f64>,
}

/// Arguments of [`Insert`](crate::Insert).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertArgs {
    /// Object with the hole, or with the peg for the held one, by id or a phrase such as "the box".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
}
