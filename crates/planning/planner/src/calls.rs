//! Finds skill calls for facts by the declared effects of skills. Only for relative turns and
//! shifts, which are not states, are skill names and arguments fixed here as in the skills crate.

use regrasp_api::{
    Bound, Fact, Goal, HandUse, Kind, ObjectJoint, Operator, Percept, PlanRequest, SkillCall,
    SkillSpec,
};
use regrasp_relations::SUPPORT_GAP_M;
use serde_json::json;

use regrasp_language::{Course, Intent};

/// Least length of a push or a pull if the task names no length, m.
pub(crate) const LEAST_SHIFT_M: f64 = 0.03;

/// A skill with the arguments by which it makes a fact true or false.
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

    /// Makes the place meet further goals, if there are any.
    pub(crate) fn meet(&mut self, meeting: &[Goal]) {
        let stated = meeting.iter().map(ToString::to_string);
        let met = self.bound.entry(Operator::MEETING.0.to_owned());
        met.or_default().extend(stated);
    }

    /// Returns true if the skill can meet further goals at the place.
    pub(crate) fn meets(&self) -> bool {
        self.operator.parameters.contains(&Operator::MEETING)
    }

    /// Returns true if all arguments exist in the scene and have the kinds that the skill declares.
    pub(crate) fn fits(&self, percept: &Percept) -> bool {
        let mut parameters = self.operator.parameters.iter();
        parameters.all(|(name, kind)| {
            let value = self.bound.get(*name).and_then(|values| values.first());
            is_of_kind(*kind, value.map_or("", String::as_str), percept)
        })
    }
}

/// Returns true if an object is valid for a parameter kind.
pub(crate) fn is_of_kind(kind: Kind, name: &str, percept: &Percept) -> bool {
    let see = || percept.objects.iter().find(|o| o.id.as_str() == name);
    let joint = || percept.joints.iter().find(|j| j.child.as_str() == name);
    match kind {
        Kind::Movable => percept.is_loose(&name.into()),
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

/// Finds all ways to make a fact true or false.
pub(crate) fn achievers<'r>(
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

/// Finds the first way that fits the scene and needs no grasp. A point at the object's own height
/// counts as one without a height, on its support.
pub(crate) fn achiever_without_grasp<'r>(
    (fact, holds): (Fact, bool),
    request: &'r PlanRequest<'_>,
) -> Option<Achiever<'r>> {
    let mut goal = Goal::from(fact);
    if let Goal::At {
        object, position, ..
    } = &mut goal
    {
        let seen = request.percept.object(object);
        let is_off = |z: &f64| seen.is_none_or(|o| (o.position().z - z).abs() > SUPPORT_GAP_M);
        position.z = position.z.filter(is_off);
    }
    achievers((goal.literal().0, holds), request.skills)
        .find(|achiever| achiever.spec.hand == HandUse::Empty && achiever.fits(request.percept))
}

/// Finds the first way to make a literal hold that fits the scene, else the first way of all.
pub(crate) fn achiever_of<'r>(
    literal: (Fact, bool),
    request: &'r PlanRequest<'_>,
) -> Result<Achiever<'r>, String> {
    let (goal, holds) = (Goal::from(literal.0.clone()), literal.1);
    let mut first = None;
    for achiever in achievers(literal, request.skills) {
        if achiever.fits(request.percept) {
            return Ok(achiever);
        }
        first.get_or_insert(achiever);
    }
    first.ok_or_else(|| {
        let known = request.skills.iter().map(|s| s.name.as_str());
        format!(
            "no skill of this robot achieves `{}{goal}` (skills: {})",
            if holds { "" } else { "not " },
            known.collect::<Vec<_>>().join(", ")
        )
    })
}

/// Returns the calls for a relative turn or shift, which is not a state; the skill that the task
/// names comes first. An object that cannot be pushed may be pulled there, and the reverse.
pub(crate) fn calls_by(intent: &Intent) -> Vec<SkillCall> {
    match intent {
        Intent::Turn { object, degrees } => {
            let args = json!({ "object": object, "by_deg": degrees });
            vec![SkillCall::new("turn", args)]
        }
        Intent::Shift { object, pull, to } => {
            let args = match to {
                Course::Point([x, y]) => json!({ "object": object, "x": x, "y": y }),
                Course::UpTo { to: [x, y], .. } => {
                    json!({ "object": object, "x": x, "y": y, "least_m": LEAST_SHIFT_M })
                }
                Course::Towards { target } => json!({ "object": object, "towards": target }),
            };
            let both = if *pull {
                ["pull", "push"]
            } else {
                ["push", "pull"]
            };
            both.map(|skill| SkillCall::new(skill, args.clone())).into()
        }
        Intent::Achieve(_) => vec![],
    }
}

/// Returns true if a call has the same skill and at least these arguments.
pub(crate) fn is_call(call: &SkillCall, own: &SkillCall) -> bool {
    let mut args = own.args.as_object().into_iter().flatten();
    call.skill == own.skill && args.all(|(name, value)| call.args.get(name) == Some(value))
}

/// Returns the first declared effect of a call in the goal notation.
pub(crate) fn aim_of(call: &SkillCall, held: Option<&str>, skills: &[SkillSpec]) -> Option<String> {
    let spec = skills.iter().find(|spec| spec.name == call.skill)?;
    let (fact, holds) = spec.effects(&call.args, held).into_iter().next()?;
    let not = if holds { "" } else { "not " };
    Some(format!("{not}{}", Goal::from(fact)))
}
