//! `released`: the robot neither holds nor touches an object.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TrueObject;
use crate::condition::{Condition, Found, Seen, ensure, mm, origin};
use crate::known::{Known, Wrong, positive};

/// The robot neither holds nor touches it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Released {
    /// Which; without it, anything at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectId>,
    /// How far at least the tool point must be from its origin, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_distance_m: Option<f64>,
}

impl Condition for Released {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        if let Some(object) = &self.object {
            known.object("object", object)?;
        }
        positive("min_distance_m", self.min_distance_m)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let asked: Vec<&TrueObject> = match &self.object {
            Some(id) => vec![seen.object(id)?],
            None => seen.last.objects.iter().filter(|o| o.movable).collect(),
        };
        let tool = seen.last.world_from_tool.translation.vector;
        asked.into_iter().try_for_each(|object| {
            let (id, away_m) = (&object.id, (origin(object) - tool).norm());
            let is_far = self.min_distance_m.is_none_or(|min_m| away_m >= min_m);
            ensure(is_far, || {
                format!("{id} is {:.1} mm from the tool", away_m * 1e3)
            })?;
            ensure(!object.grasped, || format!("{id} is in the hand"))?;
            let links = &object.touches_links;
            ensure(links.is_empty(), || {
                format!("{id} is touched by {}", links.join(", "))
            })
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        self.object.iter().collect()
    }
}

impl fmt::Display for Released {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.object.as_ref().map_or("everything", ObjectId::as_str);
        match self.min_distance_m {
            Some(m) => write!(f, "released({what}, at least {} away)", mm(m)),
            None => write!(f, "released({what})"),
        }
    }
}
