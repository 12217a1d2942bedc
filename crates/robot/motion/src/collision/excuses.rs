//! Pairs that may stay as close as they are when a motion begins.

use regrasp_api::MotionRequest;

use super::geometry::{OwnPairs, RobotGeometry};
use super::posed::Posed;
use super::surroundings::{Gap, Surroundings};

/// Overlap tolerated at the start between an obstacle and the fingers or the held object, m: they
/// do touch objects, and perception is not exact.
const HAND_DOUBT_M: f64 = 0.006;
/// Overlap tolerated at the start between parts of the robot, m. Tracking and perception are not
/// exact, and an arm that touches itself must be able to move away.
const DOUBT_M: f64 = 0.005;

impl RobotGeometry {
    pub(crate) fn surroundings(&self, request: &MotionRequest<'_>, own: &OwnPairs) -> Surroundings {
        let mut around = Surroundings::new(self, request);
        // Each round excuses one solid of a pair, so the loop ends. A true overlap is not excused.
        while let Some(touch) = self.first_touch(request.start, &around, Gap::Measured) {
            if touch.gap_m < if touch.by_hand { -HAND_DOUBT_M } else { 0.0 } {
                break;
            }
            around.excuse(touch);
        }
        let open = self.open_pairs(request.start, &around, own);
        around.set_own(open, own);
        around
    }

    /// The pairs without those that overlap slightly at the start.
    fn open_pairs(&self, start: &[f64], around: &Surroundings, own: &OwnPairs) -> OwnPairs {
        let posed = self.posed(start, around.gripper_width_m);
        let is_open = |overlap: Option<f64>| overlap.is_none_or(|m| m > DOUBT_M);
        let held = self.held_in_root(start, around);
        let links = own.links.iter().copied();
        OwnPairs {
            links: links
                .filter(|(a, b)| is_open(links_overlap_m(&posed, *a, *b)))
                .collect(),
            against_held: held.map_or(vec![], |(_, held)| {
                let links = own.against_held.iter().copied();
                links
                    .filter(|link| is_open(held_overlap_m(&posed, &held, *link)))
                    .collect()
            }),
        }
    }
}

fn links_overlap_m(posed: &[Posed<'_>], a: usize, b: usize) -> Option<f64> {
    let of = |link: usize| posed.iter().filter(move |s| s.link_idx == link);
    let each = of(a).filter_map(|s| deepest(of(b).filter_map(|t| s.overlap_m(t))));
    deepest(each)
}

fn held_overlap_m(posed: &[Posed<'_>], held: &Posed<'_>, link: usize) -> Option<f64> {
    let of_link = posed.iter().filter(|s| s.link_idx == link);
    deepest(of_link.filter_map(|s| held.overlap_m(s)))
}

fn deepest(overlaps: impl Iterator<Item = f64>) -> Option<f64> {
    overlaps.reduce(f64::max)
}
