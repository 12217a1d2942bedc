//! `touching`: two objects touch.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, touch};
use crate::known::{Known, Wrong};

/// Two objects touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Touching {
    /// One.
    pub object: ObjectId,
    /// The other.
    pub target: ObjectId,
}

impl Condition for Touching {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.other("target", &self.target, &self.object)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let (a, b) = (seen.object(&self.object)?, seen.object(&self.target)?);
        ensure(touch(a, b), || "they do not touch".to_owned())
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object, &self.target]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Touching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "touching({}, {})", self.object, self.target)
    }
}
