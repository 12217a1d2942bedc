//! The call that follows a pick.

use regrasp_api::Side;
use schemars::JsonSchema;
use serde::Deserialize;

/// The call that follows a pick, in the words of that call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "skill", rename_all = "snake_case", deny_unknown_fields)]
pub enum Then {
    /// It will be put on this.
    PlaceOn {
        /// An id or a phrase.
        #[schemars(extend("x-names-object" = true))]
        target: String,
        /// A second object that it is put across.
        #[serde(default)]
        #[schemars(extend("x-names-object" = true))]
        also: Option<String>,
    },
    /// It will be put beside this.
    PlaceBeside {
        /// An id or a phrase.
        #[schemars(extend("x-names-object" = true))]
        target: String,
        /// On which side.
        #[serde(default)]
        side: Option<Side>,
        /// Whether right beside it.
        #[serde(default)]
        close: bool,
    },
    /// It will be put down at this point in World.
    PlaceAt {
        /// Forward, m.
        x: f64,
        /// To the left, m.
        y: f64,
        /// Height of its origin, m, if it is not on whatever is there.
        #[serde(default)]
        z: Option<f64>,
    },
    /// It will be held at this point in World.
    CarryTo {
        /// Forward, m.
        x: f64,
        /// To the left, m.
        y: f64,
        /// Up, m.
        z: f64,
    },
    /// It will be set upright.
    Reorient {},
    /// What is in it will be poured into this.
    Pour {
        /// An id or a phrase.
        #[schemars(extend("x-names-object" = true))]
        target: String,
    },
    /// It will go into the hole of this.
    Insert {
        /// An id or a phrase.
        #[schemars(extend("x-names-object" = true))]
        target: String,
    },
}
