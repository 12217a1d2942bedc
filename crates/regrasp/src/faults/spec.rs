//! Faults from text.

use std::str::FromStr;

use super::Fault;

/// The kinds of faults, as they are written.
const KINDS: [&str; 17] = [
    "slip_at_lift",
    "slip_in_transport",
    "nudged",
    "moved",
    "removed",
    "obstacle_appears",
    "sight_misses",
    "sight_mislabels",
    "sight_is_off",
    "gripper_stuck",
    "gripper_weak",
    "joint_slow",
    "joint_blocked",
    "diverges",
    "skill_fails",
    "planner",
    "store",
];

/// Text that is no fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultSpecError {
    /// There is no such kind.
    #[error(
        "read the fault `{spec}`: there is no kind `{kind}` (kinds: {}); write, for example, \
         `nudged: {{object: red_cube, distance_m: 0.05}}`",
        KINDS.join(", ")
    )]
    UnknownKind {
        /// The text.
        spec: String,
        /// The word that should be a kind.
        kind: String,
    },
    /// Its fields are wrong.
    #[error("read the fault `{spec}`: {problem}")]
    Fields {
        /// The text.
        spec: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
}

impl FromStr for Fault {
    type Err = FaultSpecError;

    /// Reads `kind` or `kind: {field: value, …}`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let spec = text.trim().to_owned();
        let (kind, fields) = spec.split_once(':').unwrap_or((&spec, "{}"));
        let (kind, fields) = (kind.trim(), fields.trim());
        if !KINDS.contains(&kind) {
            let kind = kind.to_owned();
            return Err(FaultSpecError::UnknownKind { spec, kind });
        }
        let fail = |problem: String| FaultSpecError::Fields {
            spec: spec.clone(),
            problem,
        };
        let read = |error: serde_saphyr::Error| fail(error.to_string());
        let fields: serde_json::Value = serde_saphyr::from_str(fields).map_err(read)?;
        if !fields.is_object() {
            return Err(fail(format!(
                "expected fields in braces, `{kind}: {{field: value}}`, got `{fields}`"
            )));
        }
        let fault = serde_json::json!({ kind: fields });
        serde_json::from_value(fault).map_err(|error| fail(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regrasp_api::ObjectId;

    #[test]
    fn a_fault_is_read_from_one_line() {
        let expected = Fault::Nudged {
            object: ObjectId::new("red_cube"),
            distance_m: 0.05,
            at_secs: None,
        };
        let read: Fault = "nudged: {object: red_cube, distance_m: 0.05}"
            .parse()
            .expect("it is a fault");
        assert_eq!(read, expected);
        let stuck: Fault = "gripper_stuck".parse().expect("it needs no fields");
        assert_eq!(stuck, Fault::GripperStuck { for_secs: None });
    }

    #[test]
    fn what_is_wrong_with_a_fault_is_told() {
        let check = |spec: &str, words: &[&str]| {
            let error = spec.parse::<Fault>().expect_err("it is wrong").to_string();
            for word in words {
                assert!(error.contains(word), "`{word}` in: {error}");
            }
        };
        check(
            "nudge: {object: cube}",
            &["`nudge`", "nudged", "for example"],
        );
        check("nudged", &["nudged", "missing field `object`"]);
        check("nudged: {object: cube, far: 1}", &["`far`", "distance_m"]);
        check("nudged: red_cube", &["braces", "red_cube"]);
        check("gripper_weak: {factor: much}", &["factor: much", "f64"]);
        check(
            "planner: {trouble: naps}",
            &["`naps`", "garbage", "too_late"],
        );
        check("nudged: {object: [", &["nudged"]);
    }
}
