//! `apart`: how far two objects are apart.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, mm, origin};
use crate::known::{Known, Wrong, coordinates, not_negative, range};

/// How far two origins are apart: seen from above, along an axis of World, in height.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    { "required": ["xy_m"] }, { "required": ["x_m"] }, { "required": ["y_m"] }, { "required": ["dz_m"] }
]))]
pub struct Apart {
    /// One.
    pub object: ObjectId,
    /// The other.
    pub target: ObjectId,
    /// Range of the distance seen from above, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xy_m: Option<[f64; 2]>,
    /// Range of the difference along World's x, the target's subtracted, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_m: Option<[f64; 2]>,
    /// Range of the difference along World's y, the target's subtracted, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_m: Option<[f64; 2]>,
    /// Range of the difference in height, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dz_m: Option<[f64; 2]>,
}

impl Apart {
    /// Keys and ranges.
    fn ranges(&self) -> [(&'static str, Option<[f64; 2]>); 4] {
        [
            ("xy_m", self.xy_m),
            ("x_m", self.x_m),
            ("y_m", self.y_m),
            ("dz_m", self.dz_m),
        ]
    }
}

impl Condition for Apart {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        if self.ranges().iter().all(|(_, given)| given.is_none()) {
            return Err(Wrong::keys("one of xy_m, x_m, y_m, dz_m", "none"));
        }
        known.object("object", &self.object)?;
        known.other("target", &self.target, &self.object)?;
        self.ranges().into_iter().try_for_each(|(key, given)| {
            let mut ends = given.iter().flatten();
            match key {
                "x_m" | "y_m" => coordinates(key, given.as_slice().as_flattened())?,
                _ => ends.try_for_each(|&x| not_negative(key, x))?,
            }
            range(key, given)
        })
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let apart = origin(seen.object(&self.object)?) - origin(seen.object(&self.target)?);
        let (xy, dz) = (apart.xy().norm(), apart.z.abs());
        let found = [xy, apart.x, apart.y, dz];
        let is_in = |((_, given), x): ((&str, Option<[f64; 2]>), f64)| {
            given.is_none_or(|[low, high]| (low..=high).contains(&x))
        };
        ensure(self.ranges().into_iter().zip(found).all(is_in), || {
            format!(
                "they are {:.1} mm apart seen from above, ({:.1}, {:.1}) mm along x and y, and {:.1} mm in height",
                xy * 1e3,
                apart.x * 1e3,
                apart.y * 1e3,
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
        for (key, range) in self.ranges() {
            if let Some([low, high]) = range {
                let what = key.trim_end_matches("_m");
                write!(f, ", {what} {} to {}", mm(low), mm(high))?;
            }
        }
        f.write_str(")")
    }
}
