//! An object that is slid over its surface, and the points to which a push brings it.

use nalgebra::{Vector2, Vector3};
use regrasp_api::{Goal, ObjectId, PerceivedObject, Percept, PlanRequest, Point, Side};
use regrasp_language::Intent;
use regrasp_relations::{is_inside, is_supported_by};

use super::spots::gap_m;

/// Space between the two where something is pushed beside something else, m, as where it is put
/// there.
const GAPS_M: [f64; 4] = [0.03, 0.045, 0.06, 0.08];
/// How far to the side of the straight direction, m, nearest first.
const BESIDE_M: [f64; 5] = [0.0, 0.015, -0.015, 0.03, -0.03];
/// Weight of a step to the side against one away, which is still straight before.
const ASIDE_WEIGHT: f64 = 2.0;
/// Cost of one more thing in the way, m.
const MOVED_AWAY_M: f64 = 0.1;
/// Space that is kept to everything else, m: more than a push may end off its point.
const CLEAR_M: f64 = 0.015;
/// Steps in which its way is looked at, m.
const STEP_M: f64 = 0.01;
/// What rises no more than this above the surface is no step, m.
const LEVEL_M: f64 = 0.003;

/// The point to which a push brings what an intent moves. `None` if no push brings it there: it
/// would have to leave what it stands on.
pub(super) fn push_goal(intent: &Intent, percept: &Percept) -> Option<[f64; 2]> {
    let object = percept.object(&ObjectId::new(intent.object()?))?;
    let slide = Slide::of(percept, object)?;
    match intent.goal()? {
        Goal::At {
            position: Point { xy, z: None },
            ..
        } => slide.stays_level(*xy).then_some(*xy),
        Goal::Beside { target, side, .. } => slide.beside(percept.object(target)?, *side),
        _ => None,
    }
}

/// Whether the robot can push, and a push would do for one of these intents.
pub(super) fn can_be_pushed(object: &str, intents: &[Intent], request: &PlanRequest<'_>) -> bool {
    let is_of_it = |c: &&Intent| c.object() == Some(object);
    request.skills.iter().any(|s| s.name == "push")
        && intents
            .iter()
            .filter(is_of_it)
            .any(|c| push_goal(c, request.percept).is_some())
}

/// An object on the surface that it slides over.
pub(super) struct Slide<'a> {
    object: &'a PerceivedObject,
    surface: &'a PerceivedObject,
    /// What rises above the surface.
    others: Vec<&'a PerceivedObject>,
    /// Half its size seen from above, however it turns on the way, m.
    half_m: f64,
}

impl<'a> Slide<'a> {
    /// `None` if nothing is seen below it, or there are walls around it.
    pub(super) fn of(percept: &'a Percept, object: &'a PerceivedObject) -> Option<Self> {
        let mut objects = percept.objects.iter();
        let carries = |o: &&PerceivedObject| !o.movable && is_supported_by(object, o);
        let surface = objects.find(carries).filter(|o| !is_inside(object, o))?;
        let top_z = object.aabb_in_world().min[2];
        let rises = |o: &&PerceivedObject| o.aabb_in_world().max[2] > top_z + LEVEL_M;
        let others = percept
            .objects
            .iter()
            .filter(|o| o.id != object.id && o.id != surface.id);
        let size = object.aabb_in_world().size();
        Some(Self {
            object,
            surface,
            others: others.filter(rises).collect(),
            half_m: 0.5 * size.x.max(size.y),
        })
    }

    /// The place beside something, on what both stand on, that costs least: near, straight before
    /// its side, with little to move away; on any side if none is given, then the nearest.
    fn beside(&self, target: &PerceivedObject, side: Option<Side>) -> Option<[f64; 2]> {
        let bounds = target.aabb_in_world();
        let center = bounds.center().coords;
        let from = self.object.position();
        let mut sides = side.map_or(Side::ALL.to_vec(), |side| vec![side]);
        sides.sort_by(|a, b| {
            let toward = |side: &Side| side.direction().dot(&(from - center));
            toward(b).total_cmp(&toward(a))
        });
        let offsets = GAPS_M
            .iter()
            .flat_map(|gap_m| BESIDE_M.map(|aside_m| (*gap_m, aside_m)));
        let places = offsets.flat_map(|(gap_m, aside_m)| {
            sides.iter().map(move |side| {
                let out = side.direction();
                let along = Vector3::new(-out.y, out.x, 0.0);
                let half_m = 0.5 * bounds.size().dot(&out.abs());
                let at = center + out * (half_m + gap_m + self.half_m) + along * aside_m;
                // Whole millimetres: nothing finer is meant, and plans stay readable.
                let xy = [at.x, at.y].map(|v| (v * 1000.0).round() / 1000.0);
                (xy, gap_m + ASIDE_WEIGHT * aside_m.abs())
            })
        });
        let level = places.filter(|(xy, _)| self.stays_level(*xy));
        let costs = level.map(|(xy, cost_m)| {
            let n_near = self.in_the_way(xy).len() + self.fixed_near(xy);
            (xy, cost_m + n_near as f64 * MOVED_AWAY_M)
        });
        // Of equal ones the first.
        let cheapest = costs.min_by(|a, b| a.1.total_cmp(&b.1));
        cheapest.map(|(xy, _)| xy)
    }

    /// Whether it stays on its surface there, with nothing under it to climb.
    fn stays_level(&self, [x, y]: [f64; 2]) -> bool {
        let on = self.surface.aabb_in_world();
        let is_on = |i: usize, at: f64| (on.min[i]..=on.max[i]).contains(&at);
        let fixed = self.others.iter().filter(|o| !o.movable);
        is_on(0, x)
            && is_on(1, y)
            && fixed
                .into_iter()
                .all(|o| gap_m(&o.aabb_in_world(), [x, y], self.half_m) > 0.0)
    }

    /// What can be moved and is nearer to its way straight to a point than it may be; what it
    /// leaves behind is not.
    pub(super) fn in_the_way(&self, to: [f64; 2]) -> Vec<String> {
        let from = self.object.position().xy();
        let to = Vector2::from(to);
        let n_steps = ((to - from).norm() / STEP_M).ceil().max(1.0) as usize;
        let gap_at = |o: &PerceivedObject, k: usize| {
            let at = from.lerp(&to, k as f64 / n_steps as f64);
            gap_m(&o.aabb_in_world(), at.into(), self.half_m)
        };
        let is_met = |o: &&&PerceivedObject| {
            let keep_m = CLEAR_M.min(gap_at(o, 0));
            o.movable && (1..=n_steps).any(|k| gap_at(o, k) < keep_m)
        };
        let met = self.others.iter().filter(is_met);
        met.map(|o| o.id.as_str().to_owned()).collect()
    }

    /// The number of fixed things that are nearer to a point than may be.
    fn fixed_near(&self, xy: [f64; 2]) -> usize {
        let is_near = |o: &&&PerceivedObject| {
            !o.movable && gap_m(&o.aabb_in_world(), xy, self.half_m) < CLEAR_M
        };
        self.others.iter().filter(is_near).count()
    }
}
