//! `lifted`: an object is higher than at the start.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, mm};
use crate::known::{Known, Wrong, positive};

/// The object's origin is higher than at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lifted {
    /// Which.
    pub object: ObjectId,
    /// By at least this, m.
    pub min_height_m: f64,
}

impl Condition for Lifted {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        positive("min_height_m", self.min_height_m)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let rise = seen.moved(&self.object)?.z;
        ensure(rise >= self.min_height_m, || {
            format!("it rose by {:.1} mm", rise * 1e3)
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Lifted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = mm(self.min_height_m);
        write!(f, "lifted({}, at least {by})", self.object)
    }
}
