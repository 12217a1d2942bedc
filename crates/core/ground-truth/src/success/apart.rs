//! `apart`: how far two objects are apart.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, mm, origin};
use crate::known::{Known, Wrong, not_negative, range};

/// How far two origins are apart: seen from above, in height, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["xy_m"] }, { "required": ["dz_m"] }]))]
pub struct Apart {
    /// One.
    pub object: ObjectId,
    /// The other.
    pub target: ObjectId,
    /// Range of the distance seen from above, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xy_m: Option<[f64; 2]>,
    /// Range of the difference in height, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dz_m: Option<[f64; 2]>,
}

impl Condition for Apart {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        if self.xy_m.or(self.dz_m).is_none() {
            return Err(Wrong::keys("one of xy_m, dz_m", "none"));
        }
        known.object("object", &self.object)?;
        known.other("target", &self.target, &self.object)?;
        let ranges = [("xy_m", self.xy_m), ("dz_m", self.dz_m)];
        ranges.into_iter().try_for_each(|(key, given)| {
            given
                .iter()
                .flatten()
                .try_for_each(|&x| not_negative(key, x))?;
            range(key, given)
        })
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let apart = origin(seen.object(&self.object)?) - origin(seen.object(&self.target)?);
        let (xy, dz) = (apart.xy().norm(), apart.z.abs());
        let is_in =
            |range: Option<[f64; 2]>, x| range.is_none_or(|[low, high]| (low..=high).contains(&x));
        ensure(is_in(self.xy_m, xy) && is_in(self.dz_m, dz), || {
            format!(
                "they are {:.1} mm apart seen from above, and {:.1} mm in height",
                xy * 1e3,
                dz * 1e3
            )
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object, &self.target]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "apart({}, {}", self.object, self.target)?;
        for (what, range) in [("xy", self.xy_m), ("dz", self.dz_m)] {
            if let Some([low, high]) = range {
                write!(f, ", {what} {} to {}", mm(low), mm(high))?;
            }
        }
        f.write_str(")")
    }
}
