//! Description of a skill for planners and people.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Bound, Fact, HandUse, Kind, Operator, Reason, Resource};

/// Schema keyword of a string argument that names an object:
/// `#[schemars(extend("x-names-object" = true))]`. A planner that asks a model checks such names
/// before anything moves.
pub const NAMES_OBJECT: &str = "x-names-object";

/// Schema keyword of an argument that plans rarely need, such as a limit of force:
/// `#[schemars(extend("x-rarely" = true))]`. It is hidden from models.
pub const RARELY: &str = "x-rarely";

/// Argument for the next call: its arguments, with its name as `skill`. Planners can ignore it.
pub const NEXT_CALL: &str = "then";

/// Description of a skill for planners.
#[derive(Clone, Debug, Serialize)]
pub struct SkillSpec {
    /// Name of the skill.
    pub name: String,
    /// Purpose of the skill, and when to use it.
    pub description: String,
    /// JSON schema of the arguments.
    pub args_schema: Value,
    /// Parts of the robot that are reserved while the skill runs.
    pub claims: Vec<Resource>,
    /// Requirement on the hand, and the hand's state after success.
    pub hand: HandUse,
    /// Failure reasons of other steps whose cause the skill can remove.
    #[serde(alias = "mends")]
    pub remedies: Vec<Reason>,
    /// Preconditions and effects of calls of the skill.
    #[serde(skip)]
    pub operators: &'static [Operator],
    /// Returns true for a next call (with its name as `skill`) that the skill wants to be passed.
    #[serde(skip)]
    pub looks_ahead: fn(&Value) -> bool,
}

impl SkillSpec {
    /// Returns the arguments of a call for these parameter values of one of its operators.
    pub fn args(&self, operator: &Operator, bound: &Bound) -> Value {
        let mut args = Map::new();
        for (name, kind) in operator.parameters {
            let values = bound.get(*name).map(Vec::as_slice).unwrap_or_default();
            let coordinates = kind.coordinates();
            if !coordinates.is_empty() {
                let numbers = values.iter().map(|text| text.parse::<f64>().ok().into());
                let names = coordinates.iter().map(|name| (*name).to_owned());
                args.extend(names.zip(numbers));
            } else if !self.args_schema["properties"][*name].is_null()
                && (*kind != Kind::Goals || !values.is_empty())
            {
                let value = match kind {
                    Kind::Flag(flag) => (*flag).into(),
                    Kind::Relation(relation) => relation.name().into(),
                    Kind::Goals => values.into(),
                    Kind::Number => values
                        .first()
                        .and_then(|text| text.parse::<f64>().ok())
                        .into(),
                    _ => values.join(", ").into(),
                };
                args.insert((*name).to_owned(), value);
            }
        }
        Value::Object(args)
    }

    /// Returns the facts that hold or no longer hold after a call with this object in the hand. The
    /// last operator that matches applies, which is the most specific.
    pub fn effects(&self, args: &Value, held: Option<&str>) -> Vec<(Fact, bool)> {
        let mut operators = self.operators.iter().rev();
        let fitting = operators.find_map(|o| Some((o, o.bound(args, held)?)));
        let brings = fitting.iter().flat_map(|(operator, bound)| {
            let literals = operator.brings.iter();
            literals.filter_map(|l| Some((l.fact(bound)?, l.holds)))
        });
        brings.collect()
    }
}
