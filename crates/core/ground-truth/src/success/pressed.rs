//! `pressed`: a button was pressed.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::WorldTruth;
use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong};

/// A button registered at least so many presses since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pressed {
    /// Which button.
    pub object: ObjectId,
    /// How many; 1 if left out.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 100))]
    pub times: u32,
}

impl Condition for Pressed {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.joint("object", &self.object, "a button", |joint| joint.is_button)?;
        match self.times {
            1..=100 => Ok(()),
            n => Err(Wrong::value("times", n, "a whole number from 1 to 100")),
        }
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let count = |truth: &WorldTruth| {
            let joint = truth.joints.iter().find(|joint| joint.child == self.object);
            joint.and_then(|joint| joint.presses).map(|p| p.count)
        };
        let (Some(before), Some(now)) = (count(seen.first), count(seen.last)) else {
            return Err(format!("{} is no button", self.object).into());
        };
        let pressed = now.saturating_sub(before);
        ensure(pressed >= self.times, || {
            format!("it registered {pressed} presses")
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Pressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pressed({}, {} times)", self.object, self.times)
    }
}

fn once() -> u32 {
    1
}
