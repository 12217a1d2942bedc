//! Goals that cannot hold at the same time.

use crate::{Fact, Goal, ObjectId, Order, Side};

/// Goal, and true if it should hold, false if it should not hold.
pub type GoalLiteral<'g> = (&'g Goal, bool);

impl Goal {
    /// Pairs of objects that the goal puts in an order, the earlier object first.
    fn ordered(&self) -> Vec<(Order, [&ObjectId; 2])> {
        let row = match self {
            Self::On { .. } | Self::In { .. } | Self::Within { .. } => Some((Order::Resting, true)),
            Self::Inserted { .. } | Self::Across { .. } => Some((Order::Resting, true)),
            Self::Related { relation, .. } => relation.order().map(|order| (order, true)),
            Self::Beside { side, .. } => side.map(|side| side.order()),
            _ => None,
        };
        let (Some((order, is_first)), objects) = (row, self.objects()) else {
            return vec![];
        };
        let others = objects[1..].iter().map(|other| match is_first {
            true => (order, [objects[0], *other]),
            false => (order, [*other, objects[0]]),
        });
        others.collect()
    }

    /// Returns true if both goals put the same object on or into something, but onto different
    /// targets or into different zones.
    pub fn is_carried_elsewhere(&self, other: &Self) -> bool {
        let carrier = |goal| match goal {
            Self::On { target, .. } | Self::In { target, .. } => Some((target.clone(), None)),
            Self::Within { target, zone, .. } => Some((target.clone(), Some(zone.clone()))),
            _ => None,
        };
        let is_one = self.objects().first() == other.objects().first();
        let both = carrier(self.clone()).zip(carrier(other.clone()));
        is_one
            && both.is_some_and(|((a, zone_a), (b, zone_b))| {
                a != b || zone_a.zip(zone_b).is_some_and(|(a, b)| a != b)
            })
    }

    /// Returns true if the goals cannot hold together. The hand holds at most one object; an object
    /// is either held or released, unless a goal allows both; it is at one point, open by one amount, and on one side of
    /// another object.
    fn excludes(&self, other: &Self) -> bool {
        let is_held = |goal: &Self| goal.constrains_pose() && goal.keeps_hold();
        let is_released = |goal: &Self| {
            goal.constrains_pose()
                && !matches!(
                    goal,
                    Self::At {
                        released: false,
                        ..
                    }
                )
        };
        let same = self.objects().first() == other.objects().first();
        match (is_held(self), is_held(other)) {
            (true, true) => !same,
            (true, false) => same && is_released(other),
            (false, true) => same && is_released(self),
            (false, false) => same && self.is_apart_from(other),
        }
    }

    fn is_apart_from(&self, other: &Self) -> bool {
        let point = |goal: &Self| match goal {
            Self::At {
                position,
                tolerance_m,
                ..
            } => Some((position.xy, *tolerance_m)),
            _ => None,
        };
        let apart = |((a, near), (b, also)): (([f64; 2], f64), ([f64; 2], f64))| {
            (a[0] - b[0]).hypot(a[1] - b[1]) > near + also
        };
        let opening = |goal: &Self| match goal {
            Self::OpenBy { opening, .. } => Some(*opening),
            Self::Slid { open: false, .. } => Some(0.0),
            _ => None,
        };
        let differ = |(a, b): (f64, f64)| (a - b).abs() > f64::EPSILON;
        let side = |goal: &Self| match goal {
            Self::Beside { target, side, .. } => side.map(|side| (target.clone(), side)),
            _ => None,
        };
        // The sides of an object do not overlap.
        let are_sides =
            |((a, one), (b, other)): ((ObjectId, Side), (ObjectId, Side))| a == b && one != other;
        point(self).zip(point(other)).is_some_and(apart)
            || opening(self).zip(opening(other)).is_some_and(differ)
            || side(self).zip(side(other)).is_some_and(are_sides)
    }
}

/// Returns goals that cannot all be satisfied at once, as text; `None` if there are none.
pub fn clash(literals: &[GoalLiteral<'_>]) -> Option<String> {
    let pair = literals.iter().enumerate().find_map(|(i, a)| {
        let b = literals[i + 1..].iter().find(|b| exclude(a, b))?;
        Some(vec![*a, *b])
    });
    let clashing = pair.unwrap_or_else(|| ring(literals));
    let said = clashing.iter().map(|(goal, so)| match so {
        true => goal.to_string(),
        false => format!("not {goal}"),
    });
    let said: Vec<_> = said.collect();
    (!said.is_empty()).then(|| said.join(" and "))
}

fn exclude(a: &GoalLiteral<'_>, b: &GoalLiteral<'_>) -> bool {
    let ((goal, so), (other, other_so)) = (*a, *b);
    let (fact, other_fact) = (literal(a), literal(b));
    match goal.objects() == other.objects() && fact.0 == other_fact.0 {
        true => fact.1 != other_fact.1,
        false => so && other_so && goal.excludes(other),
    }
}

/// Fact of a goal, and whether it should hold. `in` does not imply `on` here.
fn literal((goal, so): &GoalLiteral<'_>) -> (Fact, bool) {
    let (fact, holds) = match goal {
        Goal::In { .. } => (goal.fact(), true),
        goal => goal.literal(),
    };
    (fact, holds == *so)
}

/// Goals that demand a cyclic order of objects; empty if the objects can be ordered.
fn ring<'g>(literals: &[GoalLiteral<'g>]) -> Vec<GoalLiteral<'g>> {
    let wanted = literals.iter().filter(|(_, so)| *so);
    let pairs = wanted.flat_map(|(goal, so)| {
        let pairs = goal.ordered().into_iter();
        pairs.map(move |(order, ends)| ((*goal, *so), order, ends))
    });
    let mut pairs: Vec<_> = pairs.collect();
    loop {
        let leads_on = |(_, order, [before, after]): &(_, Order, [&ObjectId; 2])| {
            let mut alike = pairs.iter().filter(|(_, own, _)| own == order);
            alike.clone().any(|(.., ends)| ends[1] == *before)
                && alike.any(|(.., ends)| ends[0] == *after)
        };
        let stay: Vec<bool> = pairs.iter().map(leads_on).collect();
        if !stay.contains(&false) {
            return pairs.into_iter().map(|(literal, ..)| literal).collect();
        }
        let mut stay = stay.into_iter();
        pairs.retain(|_| stay.next() == Some(true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;

    #[test]
    fn an_object_in_the_hand_may_be_at_a_point_where_it_need_not_be_released() {
        let object = || ObjectId::from("cube");
        let at = |released: bool| Goal::At {
            object: object(),
            position: Point {
                xy: [0.4, 0.1],
                z: None,
            },
            tolerance_m: 0.01,
            released,
        };
        let held = Goal::Holding { object: object() };
        let clash = |released| clash(&[(&held, true), (&at(released), true)]);
        assert!(clash(true).is_some() && clash(false).is_none());
    }

    #[test]
    fn what_leads_back_to_itself_is_a_ring() {
        let of = |text: &'static str| {
            let goal = |pair: &str| Goal::On {
                object: pair[..1].into(),
                target: pair[1..].into(),
            };
            let goals: Vec<Goal> = text.split(' ').map(goal).collect();
            let literals: Vec<_> = goals.iter().map(|goal| (goal, true)).collect();
            ring(&literals).len()
        };
        for (text, n) in [
            ("ab bc", 0),
            ("ab ac bd cd", 0),
            ("ab ba", 2),
            ("ab bc ca", 3),
            ("ab ba bc cd", 2),
        ] {
            assert_eq!(of(text), n, "{text}");
        }
    }
}
