//! Wishes for "only" some objects, which exclude others.

use regrasp_api::{Goal, ObjectJoint};

use crate::ast::{NounPhrase, Np};
use crate::formula::Intent;
use crate::reader::{Reader, Wanted};
use crate::referent::{Meant, Referent, Resolved};
use crate::task::{Step, Steps};
use crate::tree::Tree;

impl Reader<'_> {
    /// Adds to "only the cube should be on the tray" that the other objects there are taken off,
    /// and to "only the drawer should be open" that others are closed. "May be" asks for nothing
    /// else.
    pub(super) fn without_others(&self, tree: &Tree, np: &Np, steps: Vec<Step>) -> Steps {
        let (from, to) = (np.tree.from, np.tree.to);
        let begins = |class: &str, at| self.lexicon.begins(class, self.tokens, at);
        let ends = |class| self.lexicon.ends(class, self.tokens, tree.from);
        let mut before = ["ensure", "want", "keep", "there_be"].into_iter();
        let mut verbs = (tree.from..from).chain([to]);
        let is_wish =
            before.any(|class| ends(class).contains(&from)) || verbs.any(|at| begins("should", at));
        if !is_wish || !matches!(np.is, NounPhrase::Only { .. }) {
            return Ok(steps);
        }
        let intents = steps.iter().flat_map(Step::intents);
        let own: Vec<Referent> = intents.filter_map(Intent::thing).collect();
        let mut all = vec![];
        for step in &steps {
            let goal = step.intent().and_then(Intent::goal);
            let mut excluded = self.excluded(np, goal, &own)?;
            excluded.retain(|step| !all.contains(step));
            all.append(&mut excluded);
        }
        let only_may = begins("may", to);
        all.extend(steps.into_iter().filter(|_| !only_may));
        Ok(all)
    }

    /// Returns the steps after which a goal does not hold for other objects than `own`.
    fn excluded(&self, np: &Np, goal: Option<&Goal>, own: &[Referent]) -> Resolved<Vec<Step>> {
        match goal {
            Some(Goal::Slid { object, open }) => {
                let joint = self.joint(&Referent::Object(object.clone()));
                let wanted: Wanted = match joint.is_some_and(ObjectJoint::is_set) {
                    true => ObjectJoint::is_set,
                    false => ObjectJoint::opens,
                };
                let alike = self.joints(wanted);
                let alike = alike.filter(|joint| self.is_closed_by_then(joint) != *open);
                let alike = alike.map(|joint| Referent::Object(joint.child.clone()));
                let others = alike.filter(|thing| !own.contains(thing)).collect();
                self.slid(&Meant::all(others), !open)
            }
            Some(Goal::On { target, .. } | Goal::In { target, .. }) => {
                let target = Referent::Object(target.clone());
                let there = self.loose().map(Referent::of);
                let there = there.filter(|thing| self.is_over(thing, &target));
                let others: Vec<_> = there.filter(|thing| !own.contains(thing)).collect();
                match others.is_empty() {
                    true => Ok(vec![]),
                    false => self.off(&Meant::all(others), &target),
                }
            }
            _ => Err(self.impossible(&np.tree, "_: `only` needs on, in, open or closed")),
        }
    }
}
