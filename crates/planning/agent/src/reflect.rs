//! Finds the cause of a failure by rules from its reason, its figures and the percept.

use regrasp_api::{Category, ObjectId, Percept, PriorAttempt, Reason, Reflection, SkillSpec};
use regrasp_relations::box_gap_m;

use crate::approval::names_in;
use crate::table::known;

/// Largest gap to the target at which an object may contribute to a failure, m.
const NEAR_M: f64 = 0.06;
/// Perception error above which it may contribute to a failure, m.
const POOR_SIGHT_M: f64 = 0.003;

pub(crate) fn reflect(
    attempt: &PriorAttempt,
    category: Category,
    percept: Option<&Percept>,
    skills: &[SkillSpec],
) -> Reflection {
    let remedy = skills.iter().find(|s| s.remedies.contains(&attempt.reason));
    Reflection {
        error_type: category.word().to_owned(),
        root_cause: known(&attempt.reason).1.cause.clone(),
        contributing_factors: factors(attempt, percept),
        suggested_change: suggestion(attempt, remedy),
    }
}

/// Returns true for reasons that persist until the world is changed.
pub(crate) fn is_structural(reason: &Reason) -> bool {
    known(reason).1.structural
}

fn factors(attempt: &PriorAttempt, percept: Option<&Percept>) -> Vec<String> {
    let mut factors = vec![];
    for figure in &attempt.measured {
        if let Some(limit) = figure.limit {
            let (name, value, unit) = (&figure.name, figure.value, &figure.unit);
            factors.push(format!("{name} was {value:.4} {unit} (limit {limit:.4})"));
        }
    }
    let Some(percept) = percept else {
        return factors;
    };
    let names = attempt
        .call()
        .map_or_else(Vec::new, |call| names_in(&call.args));
    let target = names
        .into_iter()
        .find_map(|name| percept.object(&ObjectId::new(name)));
    let Some(target) = target else {
        return factors;
    };
    if target.position_std_m > POOR_SIGHT_M {
        let std_mm = 1000.0 * target.position_std_m;
        factors.push(format!(
            "the position of {} is known only to {std_mm:.1} mm",
            target.id
        ));
    }
    let others = percept
        .objects
        .iter()
        .filter(|o| o.movable && o.id != target.id);
    for other in others {
        let gap_m = box_gap_m(target, other);
        if gap_m < NEAR_M {
            factors.push(format!(
                "{} is only {gap_m:.3} m from {}",
                other.id, target.id
            ));
        }
    }
    factors
}

fn suggestion(attempt: &PriorAttempt, remedy: Option<&SkillSpec>) -> String {
    if let Some(skill) = remedy {
        return format!("remove the cause with {}", skill.name);
    }
    if let Some(hint) = attempt.hints.first() {
        return hint.clone();
    }
    let named = |ids: &[ObjectId]| {
        let names: Vec<_> = ids.iter().map(ObjectId::as_str).collect();
        names.join(", ")
    };
    match attempt.reason {
        Reason::ObjectNotFound => "look again, or use one of the known names".into(),
        Reason::AmbiguousObject | Reason::AmbiguousCommand => "name one of them".into(),
        Reason::UprightUnknown => "ask which end of it is up".into(),
        Reason::ObjectCovered => format!("first take off: {}", named(&attempt.entities)),
        Reason::TargetOccupied => format!("clear the place of {}", named(&attempt.entities)),
        Reason::PathBlocked | Reason::GoalInCollision if !attempt.entities.is_empty() => {
            format!("move out of the way: {}", named(&attempt.entities))
        }
        Reason::GripperOccupied => "first put down the held object".into(),
        Reason::GripperEmpty => "first pick the object".into(),
        Reason::GraspMissed | Reason::ObjectMoved => "look again right before the grasp".into(),
        Reason::GraspSlipped | Reason::ObjectDropped => "pick it up again, with more force".into(),
        Reason::PlacedOffTarget | Reason::PlacementUnstable => {
            "pick it up again and put it on a flat place".into()
        }
        Reason::Unreachable
        | Reason::NoGraspFound
        | Reason::NoGripper
        | Reason::ObjectOutOfWorkspace => "no available skill would help".into(),
        Reason::BadArguments | Reason::UnknownSkill => "call it according to its schema".into(),
        _ => "do not repeat it unchanged".into(),
    }
}
