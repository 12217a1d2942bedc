//! One look: from pixels to objects.

use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

use nalgebra::{Point3, Translation3, Vector3};
use regrasp_api::{
    Aabb, CameraView, Cameras, Observation, Percept, Perception, PerceptionError, Pose, Shape,
};
use serde_json::Value;

use crate::align::{Freedom, align};
use crate::catalogue::Catalogue;
use crate::cloud::{Cloud, Kind};
use crate::colour;
use crate::fit::{Fitted, extent_z, fit};
use crate::known::{recognise, reported};
use crate::look::LastLook;
use crate::memory::{Memory, STD_HIDDEN_M, STD_SEEN_M, Track};
use crate::merge::{Cluster, clusters};
use crate::own_body::OwnBody;
use crate::segment::segments;
use crate::solid::{gap, samples, surface_gap};

/// Options of perception.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RgbdOptions {
    /// Region in World in which objects are perceived.
    pub workspace: Aabb,
    /// Seed of the random samples in the search for the table.
    pub seed: u64,
    /// Simulated time that one look takes, s.
    pub latency_secs: f64,
}

/// Perception with colour and depth cameras.
pub struct RgbdPerception {
    cameras: Box<dyn Cameras>,
    body: OwnBody,
    options: RgbdOptions,
    memory: Memory,
    /// Models of the objects that may be in view.
    catalogue: Arc<Catalogue>,
    /// The last look, if looks are kept for later questions.
    last_look: Option<LastLook>,
    keeps_look: bool,
}

/// Fraction of a cluster's points that must lie on an object for the cluster to belong to it.
const EXPLAINED: f64 = 0.6;
/// Distance within which a point lies on an object at its previous pose, m.
const ON_IT_M: f64 = 0.007;
/// Distance within which a point lies on an object in the hand, where objects shift, m.
const ON_HELD_M: f64 = 0.012;
/// Largest difference in colour of one object between looks.
const SAME_COLOUR: f32 = 0.2;
/// Largest difference in an object's edges between looks: m, plus a fraction.
const SAME_SIZE_M: f64 = 0.008;
const SAME_SIZE: f64 = 0.25;
/// Distance from the tool point within which the hand may have moved an object, m: half of the
/// hand's width and of the object's.
const BY_HAND_M: f64 = 0.15;
/// Smallest number of points of a cluster that becomes a new object.
const NEW_POINTS: usize = 24;
/// Smallest fraction of the points of a fragment that must be near an object of its colour, and
/// their largest gap to the object, m.
const FRAGMENT: f64 = 0.5;
const FRAGMENT_M: f64 = 0.015;
/// Smallest fraction of the points of a fragment that must be near an object of any colour, and
/// their largest gap to the object, m.
const ON_SURFACE: f64 = 0.85;
const ON_SURFACE_M: f64 = 0.005;
/// Distance within which points belong to a catalogue object, m: its shape is a simplification.
const ON_KNOWN_M: f64 = 0.008;
/// Smallest volume of an unknown object, as a fraction of a catalogue object at its place, at which
/// it is taken for a part of that object.
const PART_OF_KNOWN: f64 = 0.1;
/// Gap up to which an object stands on the surface below it, m.
const STANDS_M: f64 = 0.012;
/// Distance behind an object's place at which an image shows that the object is gone, m.
const BEHIND_M: f64 = 0.012;
/// Number of points of an object's place through which the background must be visible.
const N_THROUGH: usize = 20;

impl RgbdPerception {
    /// Perceives through `cameras` and ignores pixels of `body`.
    pub fn new(cameras: Box<dyn Cameras>, body: OwnBody, options: RgbdOptions) -> Self {
        Self {
            cameras,
            body,
            options,
            memory: Memory::default(),
            catalogue: Arc::default(),
            last_look: None,
            keeps_look: false,
        }
    }

    /// Recognises the objects of a catalogue; everything else keeps a simple shape.
    pub fn knowing(mut self, catalogue: Arc<Catalogue>) -> Self {
        self.catalogue = catalogue;
        self
    }

    /// Keeps the data of each look until the next one, for [`RgbdPerception::last_look`].
    pub fn keeping_looks(mut self) -> Self {
        self.keeps_look = true;
        self
    }

    /// Returns the data of the last look; `None` before it, or if looks are not kept.
    pub fn last_look(&self) -> Option<&LastLook> {
        self.last_look.as_ref()
    }

    /// Takes pictures. Updates the objects in memory by them if `is_new`, that is, unless they were
    /// seen before.
    fn look(&mut self, observation: &Observation, is_new: bool) -> Result<(), PerceptionError> {
        let frames = self.cameras.measure(observation)?;
        let views: Vec<CameraView> = frames.iter().map(|f| f.view.clone()).collect();
        let own = self.body.depths(observation, &views);
        let clouds = frames.into_iter().zip(&own);
        let mut clouds: Vec<Cloud> = clouds.map(|(frame, own)| Cloud::new(frame, own)).collect();
        let RgbdOptions {
            workspace, seed, ..
        } = self.options;
        self.memory.look_for_table(&clouds, &workspace, seed);
        let Some(table) = &self.memory.table else {
            let detail = "no level support surface is in view".into();
            return Err(PerceptionError::Blind { detail });
        };
        for cloud in &mut clouds {
            cloud.sort(&table.plane, &table.bounds, &workspace);
        }
        let needs_all = self.keeps_look || table.color.is_empty();
        for (idx, cloud) in clouds.iter_mut().enumerate() {
            let pixels = cloud.pixels(|kind| needs_all || kind == Kind::Thing);
            self.cameras.colour(idx, &pixels, &mut cloud.rgb);
        }
        self.memory.name_table(&clouds, &workspace);
        if is_new {
            let world_from_tool = self.body.world_from_tool(observation);
            self.memory.grip(&world_from_tool, &observation.gripper);
            // Recognised pixels take no part in the search for unknown objects.
            let explained = recognise(&mut self.memory, &self.catalogue, &views, &clouds);
            let before: Vec<_> = clouds.iter().map(|c| c.kinds.clone()).collect();
            for (cloud, explained) in clouds.iter_mut().zip(&explained) {
                explained
                    .iter()
                    .for_each(|at| cloud.kinds[*at] = Kind::Nothing);
            }
            self.update(&world_from_tool, &views, &clouds);
            let kinds = clouds.iter_mut().zip(before);
            kinds.for_each(|(cloud, kinds)| cloud.kinds = kinds);
            self.memory.last = Some(observation.clone());
        }
        self.last_look = self.keeps_look.then(|| LastLook {
            views,
            clouds,
            objects: vec![],
        });
        Ok(())
    }

    fn update(&mut self, world_from_tool: &Pose, views: &[CameraView], clouds: &[Cloud]) {
        let patches: Vec<_> = clouds.iter().flat_map(segments).collect();
        let mut free = clusters(&patches);
        let unseen = self.find_again(world_from_tool, &mut free);
        let unseen = unseen.into_iter();
        let (hidden, gone) = unseen.partition(|idx| self.is_hidden(*idx, views, clouds));
        let tool = world_from_tool.translation.vector;
        let sees_through = |track: &Track| sees_through(track, views, clouds);
        self.find_elsewhere([gone, hidden], &tool, free, sees_through);
    }

    /// Finds objects at their previous poses, or where the hand took them. Removes their clusters
    /// from `free` and returns the indices of the objects that were not found.
    fn find_again(&mut self, world_from_tool: &Pose, free: &mut Vec<Cluster>) -> Vec<usize> {
        let order = 0..self.memory.tracks.len();
        let order = order.filter(|idx| self.memory.tracks[*idx].known.is_none());
        let mut order: Vec<usize> = order.collect();
        order.sort_by_key(|idx| self.memory.tracks[*idx].tool_from_object.is_none());
        let mut unseen = Vec::new();
        for idx in order {
            let track = &self.memory.tracks[idx];
            let taken: Vec<Cluster> = free.extract_if(.., |c| explains(track, c)).collect();
            if taken.is_empty() {
                unseen.push(idx);
                continue;
            }
            let supports = supports(&self.memory, free, Some(idx));
            let Some(table) = &self.memory.table else {
                continue;
            };
            let whole = taken.iter().filter(|c| c.is_whole);
            let largest = whole.max_by_key(|c| c.points.len());
            let refitted = largest.and_then(|c| fit(c, base_z(c, &supports, &table.plane)));
            let track = &mut self.memory.tracks[idx];
            update(track, &taken, refitted);
            if let Some(tool_from_object) = &mut track.tool_from_object {
                *tool_from_object = world_from_tool.inverse() * track.world_from_object;
            }
        }
        unseen
    }

    /// Returns true if an invisible object may still be at its place; otherwise marks it as gone.
    fn is_hidden(&mut self, idx: usize, views: &[CameraView], clouds: &[Cloud]) -> bool {
        let was_known = self.was_known(&self.memory.tracks[idx]);
        let track = &mut self.memory.tracks[idx];
        if track.is_gone || was_known || sees_through(track, views, clouds) {
            track.is_gone = true;
            track.tool_from_object = None;
            return false;
        }
        track.position_std_m = STD_HIDDEN_M;
        track.is_hidden = true;
        true
    }

    /// Returns true if a seen catalogue object occupies the place of an unknown object and is not
    /// much larger: the unknown object was its visible part while something hid the rest.
    fn was_known(&self, track: &Track) -> bool {
        let volume = |t: &Track| t.shape.aabb(&Pose::identity()).size().product();
        let points = samples(&track.shape, &track.world_from_object);
        let mut known = self.memory.tracks.iter().filter(|t| t.known.is_some());
        known.any(|t| {
            let is_on_it = |p: &&Point3<f64>| gap(&t.shape, &t.world_from_object, p) < FRAGMENT_M;
            let n_on_it = points.iter().filter(is_on_it).count();
            !t.is_gone
                && !t.is_hidden
                && n_on_it as f64 > ON_SURFACE * points.len() as f64
                && volume(track) > PART_OF_KNOWN * volume(t)
        })
    }

    /// Assigns the remaining clusters to objects that moved, or adds new objects. An object that is
    /// `hidden` at its last place counts as moved, too, if a part of a similar object appears near
    /// the hand, and the images do not show the background at the rest of that object.
    fn find_elsewhere(
        &mut self,
        [mut gone, mut hidden]: [Vec<usize>; 2],
        tool: &Vector3<f64>,
        free: Vec<Cluster>,
        sees_through: impl Fn(&Track) -> bool,
    ) {
        let Some(table) = self.memory.table.clone() else {
            return;
        };
        let all = supports(&self.memory, &free, None);
        for (i, cluster) in free.iter().enumerate() {
            let own = bounds(cluster);
            let others: Vec<Aabb> = all.iter().filter(|s| **s != own).copied().collect();
            let Some(fitted) = fit(cluster, base_z(cluster, &others, &table.plane)) else {
                continue;
            };
            let place = fitted.world_from_object.translation.vector;
            let far = |idx: &usize| {
                let track = &self.memory.tracks[*idx];
                (track.world_from_object.translation.vector - place).norm()
            };
            let is_it = |idx: &usize| is_same(&self.memory.tracks[*idx], &free[i], &fitted);
            let nearest = |among: &[usize]| {
                let found = among.iter().copied().filter(is_it);
                found.min_by(|a, b| far(a).total_cmp(&far(b)))
            };
            let is_by_hand = (tool - place).norm() < BY_HAND_M;
            let moved = || nearest(&hidden).filter(|_| is_by_hand);
            if let Some(idx) = nearest(&gone) {
                gone.retain(|g| *g != idx);
                move_to(&mut self.memory.tracks[idx], cluster, fitted);
            } else if let Some(idx) = moved() {
                let mut track = self.memory.tracks[idx].clone();
                move_to(&mut track, cluster, fitted);
                if !sees_through(&track) {
                    hidden.retain(|h| *h != idx);
                    self.memory.tracks[idx] = track;
                }
            } else if cluster.points.len() >= NEW_POINTS && !self.is_fragment(cluster) {
                self.memory.add(fitted, cluster.rgb, cluster.is_whole);
            }
        }
    }

    fn is_fragment(&self, cluster: &Cluster) -> bool {
        let mut there = self.memory.tracks.iter().filter(|t| !t.is_gone);
        there.any(|t| {
            let is_like_it = colour::distance(t.rgb, cluster.rgb) < SAME_COLOUR;
            (is_like_it && part_on(t, cluster, FRAGMENT_M) > FRAGMENT)
                || part_on(t, cluster, ON_SURFACE_M) > ON_SURFACE
                || self.part_on_known(t, cluster) > ON_SURFACE
        })
    }

    /// Fraction of a cluster's points that lie on a catalogue object or one of its parts.
    fn part_on_known(&self, track: &Track, cluster: &Cluster) -> f64 {
        let known = track.known.as_ref();
        let known = known.and_then(|k| Some((k, self.catalogue.templates.get(k.model)?)));
        let Some((known, template)) = known else {
            return 0.0;
        };
        let poses = template.placed(&track.world_from_object, &known.openings);
        let parts = || template.model.objects.iter().zip(&poses);
        let is_on_it = |p: &&Point3<f64>| {
            parts().any(|(part, pose)| surface_gap(&part.shape, pose, p) < ON_KNOWN_M)
        };
        let on_it = cluster.points.iter().filter(is_on_it);
        on_it.count() as f64 / cluster.points.len().max(1) as f64
    }
}

impl Perception for RgbdPerception {
    fn name(&self) -> &str {
        "rgbd"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        // At the same instant nothing can have changed: another look would show nothing new.
        let is_new = self.memory.last.as_ref() != Some(observation);
        if is_new || self.keeps_look && self.last_look.is_none() {
            self.look(observation, is_new)?;
        }
        let base_z = observation.world_from_base.translation.z;
        let percept = Percept {
            time_secs: observation.time_secs,
            latency_secs: self.options.latency_secs,
            ..reported(&self.memory, &self.catalogue, base_z)
        };
        if let Some(look) = &mut self.last_look {
            look.objects.clone_from(&percept.objects);
        }
        Ok(percept)
    }

    fn save(&self) -> Value {
        serde_json::to_value(&self.memory).unwrap_or(Value::Null)
    }

    fn restore(&mut self, state: &Value) {
        self.memory = serde_json::from_value(state.clone()).unwrap_or_default();
    }
}

/// Fraction of a cluster's points that lie on an object.
fn part_on(track: &Track, cluster: &Cluster, within_m: f64) -> f64 {
    points_on(&track.shape, &track.world_from_object, cluster, within_m)
}

fn points_on(shape: &Shape, world_from_object: &Pose, cluster: &Cluster, within_m: f64) -> f64 {
    let on_it = |p: &&Point3<f64>| gap(shape, world_from_object, p) < within_m;
    let on_it = cluster.points.iter().filter(on_it);
    on_it.count() as f64 / cluster.points.len().max(1) as f64
}

fn explains(track: &Track, cluster: &Cluster) -> bool {
    let within_m = match track.tool_from_object {
        Some(_) => ON_HELD_M,
        None => ON_IT_M,
    };
    !track.is_gone
        && colour::distance(track.rgb, cluster.rgb) < SAME_COLOUR
        && part_on(track, cluster, within_m) > EXPLAINED
}

/// Aligns an object with its visible points. Its shape is measured again only when all of it is
/// visible for the first time.
fn update(track: &mut Track, taken: &[Cluster], refitted: Option<Fitted>) {
    track.position_std_m = STD_SEEN_M;
    track.is_hidden = false;
    let is_held = track.tool_from_object.is_some();
    let is_solid = !matches!(track.shape, Shape::Compound { .. });
    match refitted.filter(|_| !is_held) {
        Some(fitted) if !track.is_whole => {
            let points = all_points(taken);
            track.category = fitted.category.to_owned();
            track.world_from_object = placed(&fitted.shape, &fitted.world_from_object, &points);
            track.shape = fitted.shape;
            track.is_whole = true;
        }
        Some(fitted) if !is_solid => {
            track.world_from_object.translation = fitted.world_from_object.translation;
        }
        _ => {
            let freedom = match is_held {
                true => Freedom::Held,
                false => Freedom::Standing,
            };
            let (points, before) = (all_points(taken), &track.world_from_object);
            track.world_from_object = align(&track.shape, before, &points, freedom);
        }
    }
}

fn move_to(track: &mut Track, cluster: &Cluster, fitted: Fitted) {
    track.is_gone = false;
    track.is_hidden = false;
    track.position_std_m = STD_SEEN_M;
    let mut world_from_object = fitted.world_from_object;
    if track.is_whole && !cluster.is_whole {
        // The known shape is better than the visible part, from which only the underside is taken.
        let lowest = |shape: &Shape| shape.aabb(&fitted.world_from_object).min[2];
        world_from_object.translation.z += lowest(&fitted.shape) - lowest(&track.shape);
        // The middle of the visible part is not that of the object, and one side of a bowl looks
        // like another, so several starts are tried.
        let reach_m = 0.5 * track.shape.aabb(&Pose::identity()).size().xy().max();
        let shifts = (0..8).map(|i| f64::from(i) * FRAC_PI_4);
        let shifts = shifts.map(|angle| Vector3::new(angle.cos(), angle.sin(), 0.0) * reach_m);
        let starts = std::iter::once(Vector3::zeros()).chain(shifts);
        let poses = starts.map(|shift| {
            let from = Translation3::from(shift) * world_from_object;
            placed(&track.shape, &from, &cluster.points)
        });
        let explained = |pose: &Pose| points_on(&track.shape, pose, cluster, ON_IT_M);
        let best = poses.reduce(|a, b| match explained(&b) > explained(&a) {
            true => b,
            false => a,
        });
        world_from_object = best.unwrap_or(world_from_object);
    } else {
        world_from_object = placed(&fitted.shape, &world_from_object, &cluster.points);
        track.shape = fitted.shape;
        track.is_whole = cluster.is_whole;
    }
    track.world_from_object = world_from_object;
}

fn placed(shape: &Shape, world_from_object: &Pose, points: &[Point3<f64>]) -> Pose {
    align(shape, world_from_object, points, Freedom::Standing)
}

fn all_points(clusters: &[Cluster]) -> Vec<Point3<f64>> {
    clusters.iter().flat_map(|c| c.points.clone()).collect()
}

/// Returns true if a cluster may be an object that has left its place.
fn is_same(track: &Track, cluster: &Cluster, fitted: &Fitted) -> bool {
    if colour::distance(track.rgb, cluster.rgb) > SAME_COLOUR {
        return false;
    }
    if !(track.is_whole && cluster.is_whole) {
        return true;
    }
    let edges = |shape: &Shape| {
        let size = shape.aabb(&Pose::identity()).size();
        let mut edges = [size.x, size.y, size.z];
        edges.sort_by(f64::total_cmp);
        edges
    };
    let (a, b) = (edges(&track.shape), edges(&fitted.shape));
    (0..3).all(|i| (a[i] - b[i]).abs() < SAME_SIZE_M + SAME_SIZE * a[i])
}

/// Bounding box of a cluster; its ends in z disregard outliers.
fn bounds(cluster: &Cluster) -> Aabb {
    let [low, top] = extent_z(&cluster.points);
    let mut bounds = Aabb::around(cluster.points.iter().map(|p| p.coords.into()));
    (bounds.min[2], bounds.max[2]) = (low, top);
    bounds
}

/// Returns the bounds of all clusters, and of all known objects except `but`, as possible supports.
fn supports(memory: &Memory, free: &[Cluster], but: Option<usize>) -> Vec<Aabb> {
    let known = memory.tracks.iter().enumerate();
    let known = known.filter(|(idx, t)| Some(*idx) != but && !t.is_gone);
    let known = known.map(|(_, t)| t.shape.aabb(&t.world_from_object));
    free.iter().map(bounds).chain(known).collect()
}

/// Height of the underside of a cluster: that of the support's top, unless a gap is visible.
fn base_z(cluster: &Cluster, supports: &[Aabb], table: &crate::plane::Plane) -> f64 {
    let own = bounds(cluster);
    let (center, low, top) = (own.center(), own.min[2], own.max[2]);
    let table_z = table.z_at(center.x, center.y);
    if low - table_z < STANDS_M {
        return table_z;
    }
    let is_under = |s: &&Aabb| s.covers(center[0], center[1]);
    let under = supports.iter().filter(is_under);
    let tops = under.map(|s| s.max[2]).filter(|z| *z < low + STANDS_M);
    let below = tops.fold(table_z, f64::max);
    // If the cluster is seen only from above, its lower end is unknown.
    let is_flat = top - low < STANDS_M;
    let stands = is_flat || low - below < STANDS_M;
    if stands { below } else { low }
}

/// Returns true if images show what is behind an object's place.
fn sees_through(track: &Track, views: &[CameraView], clouds: &[Cloud]) -> bool {
    let points = samples(&track.shape, &track.world_from_object);
    views.iter().zip(clouds).any(|(view, cloud)| {
        let (mut through, mut there) = (0, 0);
        for p in &points {
            match behind(view, cloud, p) {
                Some(m) if m > BEHIND_M => through += 1,
                Some(m) if m > -BEHIND_M => there += 1,
                _ => {}
            }
        }
        through >= N_THROUGH && through > there
    })
}

/// Distance from a point to the visible surface behind it, m; negative if that is in front. `None`
/// outside the image and on the robot.
fn behind(view: &CameraView, cloud: &Cloud, p: &Point3<f64>) -> Option<f64> {
    let ([u, v], depth_m) = view.project(p)?;
    let (x, y) = (u.round(), v.round());
    let is_inside = x >= 0.0 && y >= 0.0 && x < cloud.width as f64 && y < cloud.height as f64;
    let at = is_inside.then(|| y as usize * cloud.width + x as usize)?;
    let seen_m = f64::from(cloud.depths[at]);
    (seen_m > 0.0 && cloud.kinds[at] != Kind::Robot).then_some(seen_m - depth_m)
}
