//! `untouched`: the robot touched nothing but some objects.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RobotContact;
use crate::condition::{Condition, Found, Seen, ensure, joined};
use crate::contacts::stray_except;
use crate::known::{Known, Wrong};

/// Since the start the robot touched nothing but these, and these with its fingers only; and
/// what it held touched nothing but what it stood on at the start or stands on now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Untouched {
    /// What may be touched.
    pub except: Vec<ObjectId>,
}

impl Condition for Untouched {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.objects("except", &self.except)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let may_touch: Vec<&ObjectId> = self.except.iter().collect();
        let strays = stray_except(seen.first, seen.last, &may_touch);
        let told = |c: &&RobotContact| {
            format!(
                "{} touched {} at {:.2} s for {:.3} s with up to {:.1} N",
                c.by.name(),
                c.with,
                c.first_secs,
                c.duration_secs,
                c.peak_force_n
            )
        };
        ensure(strays.is_empty(), || {
            let told: Vec<String> = strays.iter().map(told).collect();
            told.join(", ")
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        self.except.iter().collect()
    }
}

impl fmt::Display for Untouched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "untouched(except {})", joined(&self.except))
    }
}
