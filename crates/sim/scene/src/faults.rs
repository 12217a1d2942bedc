//! Reads faults, in files and on the command line.
//!
//! A table lists the fields of each kind, so that a message can name the line and the nearest valid
//! name. From checked fields, serde then makes the value.

use regrasp_api::Reason;
use regrasp_faults::{Fault, FieldKind, KINDS};
use serde_json::{Map, Value as Json, json};

use crate::error::Problem;
use crate::fields::{Field, Fields, Sign};
use crate::yaml::{self, Node, Value};
use crate::{Result, SceneError};

/// Names that a fault may refer to. Where a list is `None`, names are checked only when the episode
/// begins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'a> {
    pub(crate) objects: Option<&'a [&'a str]>,
    pub(crate) joints: Option<&'a [String]>,
}

/// A text that is not a fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "read the fault `{spec}`: {problem}; write, for example, `nudged: {{object: red_cube, distance_m: 0.05}}`"
)]
pub struct FaultSpecError {
    /// The rejected text.
    pub spec: String,
    /// The mistake, and the values that are allowed.
    pub problem: Box<Problem>,
}

/// Reads a fault from one line with the syntax of files: `gripper_stuck`, or `nudged: {object:
/// red_cube}`. Names of objects and joints are only checked when the episode begins.
///
/// # Errors
///
/// [`FaultSpecError`]: an unknown kind or field, with the nearest valid name, a missing field, or a
/// value that is not allowed.
pub fn fault_from_text(text: &str) -> Result<Fault, FaultSpecError> {
    let fail = |error: SceneError| {
        let problem = match error {
            SceneError::Invalid { problem, .. } => problem,
            other => Box::new(Problem::not_yaml(other)),
        };
        FaultSpecError {
            spec: text.trim().to_owned(),
            problem,
        }
    };
    let node = yaml::parse("", text).map_err(fail)?;
    fault("", &node, Known::default()).map_err(fail)
}

/// Reads `kind`, or `kind: {field: value, …}`.
pub(crate) fn fault(file: &str, node: &Node, known: Known<'_>) -> Result<Fault> {
    let empty = Node {
        line: node.line,
        value: Value::Map(vec![]),
    };
    let (kind, line, content) = match &node.value {
        Value::Text(kind) => (kind.trim(), node.line, &empty),
        Value::Map(entries) if entries.len() == 1 => {
            let entry = &entries[0];
            let nothing = matches!(entry.node.value, Value::Null);
            let content = if nothing { &empty } else { &entry.node };
            (entry.key.as_str(), entry.line, content)
        }
        other => {
            let expected = "one fault, `kind: {field: value}`";
            let problem = Problem::wrong_type("faults", expected, &other.describe());
            return Err(problem.at(file, node.line));
        }
    };
    let Some((_, specs)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        let names = KINDS.iter().map(|(name, _)| *name);
        return Err(Problem::unknown_word("kind of fault", kind, names).at(file, line));
    };
    let allowed: Vec<_> = specs.iter().map(|spec| spec.name).collect();
    let within = format!("the fault `{kind}`");
    let fields = Fields::new(file, content, &within, &allowed)?;
    let mut values = Map::new();
    for spec in *specs {
        if spec.needed || fields.get(spec.name).is_some() {
            let field = fields.need(spec.name)?;
            values.insert(spec.name.to_owned(), value(&field, spec.kind, known)?);
        }
    }
    serde_json::from_value(json!({ kind: values }))
        .map_err(|error| Problem::not_yaml(error).at(file, line))
}

fn value(field: &Field<'_>, kind: FieldKind, known: Known<'_>) -> Result<Json> {
    Ok(match kind {
        FieldKind::Object => json!(one_of(field, "object", known.objects)?),
        FieldKind::Joint => {
            let names = known.joints;
            let names = names.map(|joints| joints.iter().map(String::as_str).collect());
            let names: Option<Vec<&str>> = names;
            json!(one_of(field, "joint of the arm", names.as_deref())?)
        }
        FieldKind::Time => json!(field.number(Sign::NotNegative)?),
        FieldKind::Length => json!(field.number(Sign::Length)?),
        FieldKind::Speed => json!(field.number(Sign::NotNegative)?),
        FieldKind::Fraction => {
            let is_part = |x| x <= 1.0;
            json!(field.number_if(Sign::NotNegative, is_part, "a number from 0 to 1")?)
        }
        FieldKind::Count => {
            let is_whole = |n: f64| n.fract() == 0.0;
            let allowed = "a whole number, 0 or greater";
            // The cast is exact: numbers in these files are below 1e9.
            json!(field.number_if(Sign::NotNegative, is_whole, allowed)? as u64)
        }
        FieldKind::Point(n) => json!(point(field, n)?),
        FieldKind::Flag => match field.node.value {
            Value::Bool(flag) => json!(flag),
            _ => return Err(field.wrong_type("`true` or `false`")),
        },
        FieldKind::UncheckedName => json!(field.text()?),
        FieldKind::Reason => {
            let known: Vec<_> = Reason::BUILT_IN.iter().map(Reason::slug).collect();
            json!(one_of(field, "failure reason", Some(&known))?)
        }
        FieldKind::Word(words) => json!(one_of(field, field.key, Some(words))?),
    })
}

fn one_of<'a>(field: &Field<'a>, what: &str, known: Option<&[&str]>) -> Result<&'a str> {
    let word = field.text()?;
    match known {
        Some(known) if !known.contains(&word) => {
            let known = known.iter().copied();
            Err(field.error(Problem::unknown_word(what, word, known)))
        }
        _ => Ok(word),
    }
}

fn point(field: &Field<'_>, n: usize) -> Result<Vec<f64>> {
    let numbers = field.numbers(Sign::Coordinate)?;
    if numbers.len() == n {
        return Ok(numbers);
    }
    let got = format!("a list of {}", numbers.len());
    Err(field.not_allowed(got, format!("a list of {n} numbers")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a valid value of a field, as YAML.
    fn sample(kind: FieldKind) -> String {
        match kind {
            FieldKind::Object | FieldKind::Joint | FieldKind::UncheckedName => "x1".to_owned(),
            FieldKind::Time | FieldKind::Length | FieldKind::Speed | FieldKind::Fraction => {
                "0.5".to_owned()
            }
            FieldKind::Count => "3".to_owned(),
            FieldKind::Point(n) => format!("{:?}", vec![0.25; n]),
            FieldKind::Flag => "true".to_owned(),
            FieldKind::Reason => "grasp_missed".to_owned(),
            FieldKind::Word(words) => words[0].to_owned(),
        }
    }

    #[test]
    fn the_table_and_the_vocabulary_have_the_same_fields() {
        for (kind, specs) in KINDS {
            let given = specs.iter();
            let given = given.map(|s| format!("{}: {}", s.name, sample(s.kind)));
            let text = format!("{kind}: {{{}}}", given.collect::<Vec<_>>().join(", "));
            let fault = fault_from_text(&text).expect("every valid field must be accepted");
            let written = serde_json::to_value(&fault).expect("it is plain data");
            let fields = written[kind].as_object().expect("a mapping");
            let mut names: Vec<_> = fields.keys().map(String::as_str).collect();
            let mut table: Vec<_> = specs.iter().map(|s| s.name).collect();
            names.sort_unstable();
            table.sort_unstable();
            assert_eq!(names, table, "{kind}");
            assert!(fields.values().all(|v| !v.is_null()), "{text}: {written}");

            let few = specs.iter().filter(|s| s.needed);
            let few = few.map(|s| format!("{}: {}", s.name, sample(s.kind)));
            let few: Vec<_> = few.collect();
            let text = format!("{kind}: {{{}}}", few.join(", "));
            fault_from_text(&text).expect("optional fields may be left out");
        }
        let unknown = serde_json::from_value::<Fault>(json!("no such kind"))
            .expect_err("the kind must be rejected");
        let unknown = unknown.to_string();
        for (kind, _) in KINDS {
            assert!(unknown.contains(&format!("`{kind}`")), "{unknown}");
        }
        let n = unknown.matches('`').count() / 2 - 1;
        assert_eq!(n, KINDS.len(), "{unknown}");
    }

    #[test]
    fn a_fault_is_read_from_one_line() {
        let stuck = fault_from_text(" gripper_stuck ").expect("it needs no fields");
        assert_eq!(stuck, Fault::GripperStuck { for_secs: None });
        let nudged = fault_from_text("nudged: {object: red_cube, distance_m: 0.05}");
        let expected = Fault::Nudged {
            object: "red_cube".into(),
            distance_m: 0.05,
            at_secs: None,
        };
        assert_eq!(nudged, Ok(expected));
    }

    #[test]
    fn what_is_wrong_with_a_fault_is_reported() {
        for [spec, words] in regrasp_testkit::rows(include_str!("../tests/data/refused/faults.txt"))
        {
            let error = fault_from_text(&spec).expect_err("the fault must be rejected");
            let error = error.to_string();
            regrasp_testkit::says(&error, &words.split("; ").collect::<Vec<_>>());
        }
    }
}
