//! Pairs of a robot's links that can touch each other.

use super::halton::Halton;
use crate::collision::{OwnPairs, RobotGeometry};
use crate::spheres::{SceneOptions, SphereModel, SphereScene, Tree};

/// Number of batches of eight sampled configurations.
const N_BATCHES: usize = 32;
/// Share of touching samples above which a pair counts as overlapping by construction.
const ALWAYS: f64 = 0.95;

/// Spheres of a robot, and the pairs of links to be checked against each other.
#[derive(Clone, Debug)]
pub(crate) struct RobotSpheres {
    pub(crate) model: SphereModel,
    /// The pairs, as link indices of the robot.
    pub(crate) own: OwnPairs,
}

impl RobotSpheres {
    /// Selects pairs from samples within `bounds`. Pairs that touch at `home` or in nearly all
    /// samples are left out.
    pub(crate) fn new(geometry: &RobotGeometry, bounds: &[[f64; 2]], home: &[f64]) -> Self {
        let model = SphereModel::new(geometry);
        let q_by_joint = geometry.positions(home, 0.0);
        let tree = Tree::new(&geometry.model, &geometry.arm_joints, &q_by_joint);
        let link = |idx: usize| model.links[idx].link_idx;
        let at_home = geometry.placed(home, 0.0, None);
        let mut pairs = vec![];
        for a in 0..model.links.len() {
            for b in a + 1..model.links.len() {
                let moves = model.links[a].moves || model.links[b].moves;
                let (at, other) = (link(a), link(b));
                if moves && !tree.are_neighbours(at, other) && !at_home.overlaps(at, other) {
                    pairs.push((at, other));
                }
            }
        }
        let tool = geometry.tool_link;
        let links = model.links.iter().map(|l| l.link_idx);
        let mut own = OwnPairs {
            links: pairs,
            against_held: links.filter(|l| !tree.move_alike(*l, tool)).collect(),
        };
        let scene = SphereScene::new(&model, tree, &own, &SceneOptions::default());
        let mut hits = vec![0; own.links.len()];
        let mut halton = Halton::new(bounds.len(), 0);
        for _ in 0..N_BATCHES {
            let mut q = vec![[0f32; 8]; bounds.len()];
            for lane in 0..8 {
                for ((q, x), [low, high]) in q.iter_mut().zip(halton.point()).zip(bounds) {
                    q[lane] = (low + x * (high - low)) as f32;
                }
            }
            for (hits, mask) in hits.iter_mut().zip(scene.pair_hits(&q)) {
                *hits += mask.count_ones();
            }
        }
        let most = (ALWAYS * (8 * N_BATCHES) as f64) as u32;
        let kept = scene.pairs().zip(hits).filter(|(_, n)| *n <= most);
        own.links = kept.map(|((a, b), _)| (link(a), link(b))).collect();
        Self { model, own }
    }
}
