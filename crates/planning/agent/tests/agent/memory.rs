//! Past failures and the fixes that helped.

use crate::common::{Rig, Shared, fails, lock, plan, stack};
use regrasp_api::{Case, CaseQuery, FailureMemory, PastCase, StoreError};

/// Memory in a list, which returns all fixes for the same reason.
#[derive(Clone, Default)]
struct Notes(Shared<Vec<Case>>);

impl FailureMemory for Notes {
    fn record(&mut self, case: &Case) -> Result<(), StoreError> {
        lock(&self.0).push(case.clone());
        Ok(())
    }

    fn similar(&mut self, query: &CaseQuery<'_>) -> Result<Vec<PastCase>, StoreError> {
        let cases = lock(&self.0);
        let same = cases.iter().filter(|c| &c.reason == query.reason);
        let past = same.map(|case| PastCase {
            reason: case.reason.clone(),
            skill: case.skill.clone(),
            task: case.task.clone(),
            fix: case.fix.clone(),
            n_tried: 1,
            n_worked: u32::from(case.worked),
        });
        Ok(past.collect())
    }
}

#[test]
fn what_helped_before_is_shown_to_the_planner() {
    let notes = Notes::default();
    let answers = || vec![plan([fails("object_covered")]), plan([stack()])];
    let first = Rig::new();
    let mut agent = first.agent(answers()).with_memory(Box::new(notes.clone()));
    assert!(agent.run("stack").success);
    assert!(
        lock(&first.asked)[1].past_cases.is_empty(),
        "no earlier episode was recorded"
    );
    let kept = lock(&notes.0).clone();
    assert_eq!((kept.len(), kept[0].worked), (1, true));
    assert_eq!(kept[0].fix, "act red_cube");
    assert_eq!(kept[0].scene, "2 cube");

    let second = Rig::new();
    let mut agent = second.agent(answers()).with_memory(Box::new(notes));
    agent.run("stack");
    let shown = &lock(&second.asked)[1].past_cases;
    assert_eq!((shown.len(), shown[0].n_worked), (1, 1));
    assert_eq!(shown[0].fix, "act red_cube");
}
