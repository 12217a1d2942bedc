//! Arguments and state of a pick.

use regrasp_api::{PerceivedObject, Percept};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::lookahead::NextCall;

/// Arguments of [`Pick`](crate::Pick).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PickArgs {
    /// Object to pick, by id or a phrase such as "the red cube" or "cube on the left".
    #[schemars(extend("x-names-object" = true))]
    pub object: String,
    /// Next call with it, if known: a grasp that allows this call is preferred.
    #[serde(default)]
    pub then: Option<NextCall>,
    /// Grip force, N, capped at the gripper's limit; if left out, the usual one, or what the
    /// object's known mass needs.
    #[serde(default)]
    #[schemars(range(min = 1.0), extend("x-rarely" = true))]
    pub force_n: Option<f64>,
}

/// State of a call of [`Pick`](crate::Pick).
#[derive(Clone, Debug)]
pub struct PickTask {
    pub(crate) target: PerceivedObject,
    pub(crate) mass_kg: Option<f64>,
    pub(crate) then: Option<NextCall>,
    pub(crate) force_n: Option<f64>,
    pub(crate) lifted_m: f64,
}

impl PickTask {
    pub(crate) fn new(percept: &Percept, target: PerceivedObject) -> Self {
        Self {
            mass_kg: percept.known(&target.id).and_then(|known| known.mass_kg),
            then: None,
            force_n: None,
            target,
            lifted_m: 0.0,
        }
    }
}
