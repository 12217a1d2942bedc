//! What planners and people are told of a skill.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Bound, Fact, HandUse, Kind, Operator, Reason, Resource};

/// The keyword that marks, in the schema of a skill's arguments, a string that names an
/// object: `#[schemars(extend("x-names-object" = true))]`. A planner that asks a model
/// checks such names before anything moves.
pub const NAMES_OBJECT: &str = "x-names-object";

/// The keyword that marks an argument that hardly any plan needs, such as a limit of force:
/// `#[schemars(extend("x-rarely" = true))]`. A model is not told of it.
pub const RARELY: &str = "x-rarely";

/// The argument by which a skill is passed the call that follows: its arguments, and its name as `skill`.
/// Planners need not know of it.
pub const NEXT_CALL: &str = "then";

/// What a planner is told about a skill.
#[derive(Clone, Debug, Serialize)]
pub struct SkillSpec {
    /// Name to call it by.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its arguments.
    pub args_schema: Value,
    /// What nothing else may use while it runs.
    pub claims: Vec<Resource>,
    /// What it needs in the hand, and what it leaves there.
    pub hand: HandUse,
    /// Reasons of other steps whose cause it can remove.
    #[serde(alias = "mends")]
    pub remedies: Vec<Reason>,
    /// What its calls need and bring about.
    #[serde(skip)]
    pub operators: &'static [Operator],
    /// Returns true for a call that it wants to know of if it follows, with its skill among its arguments.
    #[serde(skip)]
    pub looks_ahead: fn(&Value) -> bool,
}

impl SkillSpec {
    /// The arguments of a call with these for the parameters of one of its operators.
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

    /// Facts that hold after a call, or do not any more, with this in the hand: by the last
    /// declaration that fits it, the most special one.
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
