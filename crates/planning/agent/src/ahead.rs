//! Passes the next call to skills that use it.

use regrasp_api::{NEXT_CALL, PlanStep, SkillSpec};

/// Adds the next call to the arguments of each skill that [looks ahead](SkillSpec::looks_ahead),
/// unless the planner did. The skill can then choose a grasp for the next call.
pub(crate) fn look_ahead(steps: &mut [PlanStep], skills: &[SkillSpec]) {
    for i in 1..steps.len() {
        let (before, after) = steps.split_at_mut(i);
        let (call, next) = (&mut before[i - 1].call, &after[0].call);
        let mut then = next.args.clone();
        if let (Some(then), Some(args)) = (then.as_object_mut(), call.args.as_object_mut())
            && let Some(spec) = skills.iter().find(|spec| spec.name == call.skill)
        {
            then.insert("skill".into(), next.skill.clone().into());
            let then = then.clone().into();
            if (spec.looks_ahead)(&then) {
                args.entry(NEXT_CALL).or_insert(then);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::{HandUse, SkillCall};
    use serde_json::{Value, json};

    use super::*;

    fn passed_to_pick(args: Value, next: SkillCall) -> Value {
        let spec = SkillSpec {
            name: "pick".into(),
            description: String::new(),
            args_schema: json!({}),
            claims: vec![],
            hand: HandUse::Takes,
            remedies: vec![],
            operators: &[],
            looks_ahead: |next| next["skill"] == "place_on",
        };
        let mut steps: Vec<PlanStep> = vec![SkillCall::new("pick", args).into(), next.into()];
        look_ahead(&mut steps, &[spec]);
        steps[0].call.args.clone()
    }

    #[test]
    fn a_pick_is_told_what_follows_if_it_wants_to_know_and_the_planner_left_it_out() {
        let on = || SkillCall::new("place_on", json!({ "target": "plate" }));
        let cube = json!({ "object": "cube" });
        let then = json!({ "skill": "place_on", "target": "plate" });
        assert_eq!(passed_to_pick(cube.clone(), on())["then"], then);
        let home = SkillCall::new("home", json!({}));
        assert_eq!(passed_to_pick(cube.clone(), home), cube);
        let own = json!({ "object": "cube", "then": { "skill": "place_at", "x": 0.1 } });
        assert_eq!(passed_to_pick(own.clone(), on()), own);
    }
}
