//! `unmoved`: objects are where they were at the start.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, joined, mm};
use crate::known::{Known, Wrong, positive};

/// Objects are where they were at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unmoved {
    /// Which; `others` alone stands for every movable object that no other condition names.
    pub objects: Vec<ObjectId>,
    /// How far each may have moved, m.
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

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        self.objects.iter().try_for_each(|object| {
            let moved = seen.moved(object)?.norm();
            ensure(moved <= self.tolerance_m, || {
                format!("{object} moved by {:.1} mm", moved * 1e3)
            })
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        self.objects.iter().collect()
    }
}

impl fmt::Display for Unmoved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (objects, off) = (joined(&self.objects), mm(self.tolerance_m));
        write!(f, "unmoved({objects}, within {off})")
    }
}

/// Stands for every movable object that no other condition names.
const OTHERS: &str = "others";
