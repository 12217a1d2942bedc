//! Spheres of the robot among obstacles.

use regrasp_api::{Obstacle, Pose};

use super::bound::{BodySphere, Group, bound, grouped};
use super::lanes::Vectors;
use super::model::{LinkCover, SphereModel};
use super::obstacle::SphereObstacle;
use super::reach::{CLEARANCE_M, largest_motion};
use super::tree::Tree;
use crate::collision::OwnPairs;

#[derive(Default)]
pub(crate) struct SceneOptions<'a> {
    pub(crate) obstacles: &'a [Obstacle],
    pub(crate) root_from_world: Pose,
    pub(crate) may_touch: &'a [regrasp_api::ObjectId],
    pub(crate) arm_margin_m: f64,
    pub(crate) hand_margin_m: f64,
    /// The held object, as spheres in the frame of the tool's link.
    pub(crate) held: Option<LinkCover>,
}

#[derive(Clone, Debug)]
pub(crate) struct SphereScene {
    pub(crate) vectors: Vectors,
    pub(super) tree: Tree,
    /// Parts, tip first: the tip touches most often.
    pub(super) parts: Vec<Part>,
    pub(super) links: Vec<LinkSpheres>,
    pub(super) groups: Vec<Group>,
    pub(super) spheres: Vec<BodySphere>,
    pub(super) obstacles: Vec<SphereObstacle>,
    pub(super) self_pairs: Vec<SelfPair>,
    pub(super) body_bounds: Vec<BodySphere>,
    /// Ranges of `self_pairs` between the same two bodies.
    pub(super) body_pairs: Vec<BodyPair>,
}

/// Two bodies, and the first and last index of the pairs of links on them.
#[derive(Clone, Debug)]
pub(super) struct BodyPair {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) pairs: (usize, usize),
}

/// Links that move as one and may touch the same objects.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) body: usize,
    pub(super) bound: BodySphere,
    /// First and last index of the part's groups.
    pub(super) groups: (usize, usize),
    /// Indices of the obstacles within reach, nearest to the root first.
    pub(super) obstacles: Vec<u32>,
    /// Distance to be kept from obstacles, m.
    pub(super) margin: f32,
    /// Largest displacement of the part by each joint of the arm, m per rad.
    pub(super) sweep: Vec<f32>,
}

/// One link, for checks against other links.
#[derive(Clone, Debug)]
pub(super) struct LinkSpheres {
    pub(super) body: usize,
    pub(super) bound: BodySphere,
    /// First and last index of the link's groups.
    pub(super) groups: (usize, usize),
}

#[derive(Clone, Debug)]
pub(super) struct SelfPair {
    pub(super) a: usize,
    pub(super) b: usize,
    /// Largest relative displacement of the links by each joint of the arm, m per rad.
    pub(super) sweep: Vec<f32>,
}

impl SphereScene {
    pub(crate) fn new(
        model: &SphereModel,
        tree: Tree,
        own: &OwnPairs,
        options: &SceneOptions<'_>,
    ) -> Self {
        let mut obstacles: Vec<_> = options
            .obstacles
            .iter()
            .flat_map(|o| {
                let root_from_object = options.root_from_world * o.world_from_object;
                let may_be_touched = options.may_touch.contains(&o.id);
                SphereObstacle::parts(&o.shape, &root_from_object, may_be_touched)
            })
            .collect();
        obstacles.sort_by(|a, b| a.from_root.total_cmp(&b.from_root));
        let mut scene = Self {
            vectors: Vectors::detect(),
            tree,
            parts: vec![],
            links: vec![],
            groups: vec![],
            spheres: vec![],
            obstacles,
            self_pairs: vec![],
            body_bounds: vec![],
            body_pairs: vec![],
        };
        let covers: Vec<_> = model.links.iter().chain(&options.held).collect();
        scene.add_links(&covers, options);
        let link = |i: usize| (scene.links[i].body, &scene.links[i].bound);
        let place = |link: &usize| model.links.iter().position(|l| l.link_idx == *link);
        let links = own.links.iter();
        let links = links.map(|(a, b)| place(a).zip(place(b)));
        let held = options.held.as_ref().map(|_| model.links.len());
        let pairs = links.chain(own.against_held.iter().map(|link| place(link).zip(held)));
        let pair = |(a, b)| SelfPair {
            a,
            b,
            sweep: scene.tree.sweep_between(link(a), link(b)),
        };
        scene.self_pairs = pairs.flatten().map(pair).collect();
        scene.group_pairs();
        scene
    }

    /// Sorts pairs so that links on the same two bodies are adjacent.
    pub(super) fn group_pairs(&mut self) {
        let bodies = |p: &SelfPair| (self.links[p.a].body, self.links[p.b].body);
        let mut pairs = std::mem::take(&mut self.self_pairs);
        pairs.sort_by_key(|p| bodies(p));
        let mut body_pairs = vec![];
        let mut first = 0;
        for same in pairs.chunk_by(|p, q| bodies(p) == bodies(q)) {
            let (a, b) = bodies(&same[0]);
            body_pairs.push(BodyPair {
                a,
                b,
                pairs: (first, first + same.len() - 1),
            });
            first += same.len();
        }
        let of_body = |body: usize| {
            let links = self.links.iter().filter(|l| l.body == body);
            bound(&links.map(|l| l.bound).collect::<Vec<_>>())
        };
        self.body_bounds = (0..self.tree.bodies.len()).map(of_body).collect();
        self.self_pairs = pairs;
        self.body_pairs = body_pairs;
    }

    /// Indices of the links of each pair, sorted by bodies.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.self_pairs.iter().map(|pair| (pair.a, pair.b))
    }

    /// Uses another instruction set for checks.
    #[cfg(test)]
    pub(crate) fn with_vectors(mut self, vectors: Vectors) -> Self {
        self.vectors = vectors;
        self
    }

    /// Adds spheres, groups and parts of all links; `links` is in the order of `covers`.
    fn add_links(&mut self, covers: &[&LinkCover], options: &SceneOptions<'_>) {
        // Fingers are a part of their own only if their margin or allowed contacts differ from the
        // hand's.
        let apart = !options.may_touch.is_empty()
            || options
                .hand_margin_m
                .total_cmp(&options.arm_margin_m)
                .is_ne();
        let key = |c: &LinkCover| (self.tree.links[c.link_idx].0, c.is_finger && apart);
        let keys: Vec<_> = covers.iter().map(|c| key(c)).collect();
        let mut order: Vec<_> = (0..covers.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(keys[*i]));
        let mut links: Vec<Option<LinkSpheres>> = vec![None; covers.len()];
        for same in order.chunk_by(|a, b| keys[*a] == keys[*b]) {
            let first_group = self.groups.len();
            for &i in same {
                links[i] = Some(self.add_link(covers[i]));
            }
            let groups = (first_group, self.groups.len() - 1);
            let (body, is_finger) = keys[same[0]];
            if same.iter().any(|i| covers[*i].moves) {
                let margin = match is_finger {
                    true => options.hand_margin_m,
                    false => options.arm_margin_m,
                };
                self.add_part(body, is_finger, groups, margin as f32);
            }
        }
        self.links = links.into_iter().flatten().collect();
    }

    fn add_link(&mut self, cover: &LinkCover) -> LinkSpheres {
        let (body, body_from_link) = self.tree.links[cover.link_idx];
        let sphere = |s| BodySphere::new(s, &body_from_link);
        let mut spheres: Vec<_> = cover.spheres.iter().map(sphere).collect();
        let first_group = self.groups.len();
        for group in grouped(&mut spheres) {
            let first = self.spheres.len();
            self.spheres.extend_from_slice(group);
            self.groups.push(Group {
                bound: bound(group),
                spheres: (first, self.spheres.len() - 1),
            });
        }
        LinkSpheres {
            body,
            bound: bound(&spheres),
            groups: (first_group, self.groups.len() - 1),
        }
    }

    fn add_part(&mut self, body: usize, is_finger: bool, groups: (usize, usize), margin: f32) {
        let first = self.groups[groups.0].spheres.0;
        let last = self.groups[groups.1].spheres.1;
        let bound = bound(&self.spheres[first..=last]);
        let sweep = self.tree.sweep(body, &bound, 0);
        let more = CLEARANCE_M.max(largest_motion(&sweep));
        let reach = self.tree.reach(body, &bound, margin + more);
        let near = |o: &SphereObstacle| {
            let is_in_reach = reach.is_none_or(|(origin, radius)| o.gap_to(origin) <= radius);
            !(is_finger && o.may_be_touched) && is_in_reach
        };
        let obstacles = (0u32..).zip(&self.obstacles).filter(|(_, o)| near(o));
        let obstacles = obstacles.map(|(i, _)| i).collect();
        self.parts.push(Part {
            body,
            bound,
            groups,
            obstacles,
            margin,
            sweep,
        });
    }
}
