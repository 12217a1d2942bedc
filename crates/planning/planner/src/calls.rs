//! Calls for what is asked for, by what the skills declare that they bring about; only for turns and
//! shifts by so much, which are no states, the names and arguments are a contract with the skills crate.

use regrasp_api::{
    Bound, Fact, Goal, HandUse, Kind, ObjectJoint, Operator, Percept, PlanRequest, SkillCall,
    SkillSpec,
};
use serde_json::json;

use regrasp_language::{Course, Intent};

/// A way in which a skill brings a fact about, or ends it.
pub(crate) struct Achiever<'r> {
    pub(crate) spec: &'r SkillSpec,
    pub(crate) operator: &'r Operator,
    pub(crate) bound: Bound,
}

impl Achiever<'_> {
    pub(crate) fn call(&self) -> SkillCall {
        SkillCall::new(
            self.spec.name.clone(),
            self.spec.args(self.operator, &self.bound),
        )
    }

    /// Returns true if all that it is about is there, and of the kind that the skill is for.
    pub(crate) fn fits(&self, percept: &Percept) -> bool {
        let mut parameters = self.operator.parameters.iter();
        parameters.all(|(name, kind)| {
            let value = self.bound.get(*name).and_then(|values| values.first());
            is_of_kind(*kind, value.map_or("", String::as_str), percept)
        })
    }
}

/// Returns true if something can stand for a parameter of a kind.
pub(crate) fn is_of_kind(kind: Kind, name: &str, percept: &Percept) -> bool {
    let see = || percept.objects.iter().find(|o| o.id.as_str() == name);
    let joint = || percept.joints.iter().find(|j| j.child.as_str() == name);
    match kind {
        Kind::Movable => see().is_some_and(|o| o.movable),
        Kind::Thing => see().is_some(),
        Kind::Opening => joint().is_some_and(ObjectJoint::opens),
        Kind::OpensOn(kind) => joint().is_some_and(|j| j.opens() && j.kind == kind),
        Kind::Number => name.parse::<f64>().is_ok(),
        Kind::Setting => joint().is_some_and(ObjectJoint::is_set),
        Kind::Button => joint().is_some_and(|j| j.presses.is_some()),
        Kind::Point
        | Kind::LevelPoint
        | Kind::Side
        | Kind::Zone
        | Kind::Goals
        | Kind::Flag(_)
        | Kind::Relation(_) => true,
    }
}

/// All ways to bring a fact about, or to end it.
pub(crate) fn ways<'r>(
    (fact, holds): (Fact, bool),
    skills: &'r [SkillSpec],
) -> impl Iterator<Item = Achiever<'r>> {
    skills.iter().flat_map(move |spec| {
        let fact = fact.clone();
        let operators = spec.operators.iter();
        operators.filter_map(move |operator| {
            Some(Achiever {
                spec,
                operator,
                bound: operator.unified(&fact, holds)?,
            })
        })
    })
}

/// The first of them that fits what is seen and does without a grip.
pub(crate) fn way_without_grip<'r>(
    literal: (Fact, bool),
    request: &'r PlanRequest<'_>,
) -> Option<Achiever<'r>> {
    let says_where = Goal::from(literal.0.clone()).says_where();
    let mut ways = ways(literal, request.skills).filter(|_| says_where);
    ways.find(|way| way.spec.hand == HandUse::Empty && way.fits(request.percept))
}

/// The first of them that fits what is seen, if one does.
pub(crate) fn way_to<'r>(
    literal: (Fact, bool),
    request: &'r PlanRequest<'_>,
) -> Result<Achiever<'r>, String> {
    let (goal, holds) = (Goal::from(literal.0.clone()), literal.1);
    let mut first = None;
    for way in ways(literal, request.skills) {
        if way.fits(request.percept) {
            return Ok(way);
        }
        first.get_or_insert(way);
    }
    first.ok_or_else(|| {
        let known = request.skills.iter().map(|s| s.name.as_str());
        format!(
            "no skill that this robot has brings about `{}{goal}` (skills: {})",
            if holds { "" } else { "not " },
            known.collect::<Vec<_>>().join(", ")
        )
    })
}

/// The call that turns or shifts something by so much, for what is no state.
pub(crate) fn call_by(intent: &Intent) -> Option<SkillCall> {
    Some(match intent {
        Intent::Turn { object, degrees } => {
            SkillCall::new("turn", json!({ "object": object, "by_deg": degrees }))
        }
        Intent::Shift { object, pull, to } => {
            let args = match to {
                Course::Point([x, y]) => json!({ "object": object, "x": x, "y": y }),
                Course::Towards { target } => json!({ "object": object, "towards": target }),
            };
            SkillCall::new(if *pull { "pull" } else { "push" }, args)
        }
        _ => return None,
    })
}

/// Goal of a call in the notation of goals, with this in the hand.
pub(crate) fn aim_of(call: &SkillCall, held: Option<&str>, skills: &[SkillSpec]) -> Option<String> {
    let spec = skills.iter().find(|spec| spec.name == call.skill)?;
    let (fact, holds) = spec.effects(&call.args, held).into_iter().next()?;
    let not = if holds { "" } else { "not " };
    Some(format!("{not}{}", Goal::from(fact)))
}
