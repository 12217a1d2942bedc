//! Standard benchmark problems of task planners.

#![allow(dead_code, reason = "each test uses a part of it")]

use regrasp_api::{PerceivedObject, Shape};

use crate::common::{Scene, TABLE_Z, cube};

/// A flat square slab, used as a pad or a disc.
pub(crate) fn slab(id: &str, half_m: f64, x: f64, y: f64, bottom_z: f64) -> PerceivedObject {
    let mut slab = cube(id, x, y, bottom_z + 0.01);
    slab.shape = Shape::cuboid([half_m, half_m, 0.01]);
    slab
}

/// Three pads, and discs on the first one, the largest at the bottom.
pub(crate) fn hanoi(n: usize) -> (Scene, String) {
    let mut scene = Scene::new(&[]);
    let pads = [("pad_a", 0.2), ("pad_b", 0.0), ("pad_c", -0.2)];
    for (id, y) in pads {
        let mut pad = slab(id, 0.06, 0.4, y, TABLE_Z);
        pad.movable = false;
        scene.add(pad);
    }
    let disc = |i: usize| format!("disc_{i}");
    for i in 0..n {
        let level = (n - 1 - i) as f64;
        let z = TABLE_Z + 0.02 + 0.02 * level;
        let half_m = 0.02 + 0.005 * i as f64;
        scene.add(slab(&disc(i), half_m, 0.4, 0.2, z));
    }
    let mut goal: Vec<String> = (0..n - 1)
        .map(|i| format!("on({}, {})", disc(i), disc(i + 1)))
        .collect();
    goal.push(format!("on({}, pad_c)", disc(n - 1)));
    let mut never: Vec<String> = (0..n).map(|i| format!("on({}, table)", disc(i))).collect();
    for small in 0..n {
        never.extend((small + 1..n).map(|large| format!("on({}, {})", disc(large), disc(small))));
    }
    let text = format!("{}; never({})", goal.join(" and "), never.join(", "));
    (scene, text)
}

/// Towers of cubes, as indices into [`names`], bottom first.
pub(crate) type Towers = Vec<Vec<usize>>;

pub(crate) fn stacked(towers: &Towers) -> Scene {
    let names = names();
    let mut cubes = vec![];
    for (i, tower) in towers.iter().enumerate() {
        let at = (0.3 + 0.12 * (i % 3) as f64, -0.25 + 0.16 * (i / 3) as f64);
        let levels = tower.iter().enumerate();
        cubes.extend(levels.map(|(level, b)| (names[*b], at.0, at.1, level)));
    }
    Scene::new(&cubes)
}

pub(crate) fn names() -> [&'static str; 8] {
    [
        "a_cube", "b_cube", "c_cube", "d_cube", "e_cube", "f_cube", "g_cube", "h_cube",
    ]
}

pub(crate) fn goal_of(towers: &Towers) -> String {
    let names = names();
    let facts = towers.iter().flat_map(|tower| {
        let below = [None].into_iter().chain(tower.iter().map(|b| Some(*b)));
        tower.iter().zip(below).map(move |(b, below)| match below {
            None => format!("on({}, table)", names[*b]),
            Some(below) => format!("on({}, {})", names[*b], names[below]),
        })
    });
    facts.collect::<Vec<_>>().join(" and ")
}

pub(crate) fn drawn(n: usize, seed: u64) -> Towers {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut left: Vec<usize> = (0..n).collect();
    let mut towers: Towers = vec![];
    while !left.is_empty() {
        let block = left.remove(next(left.len()));
        match next(towers.len() + 1) {
            at if at < towers.len() => towers[at].push(block),
            _ => towers.push(vec![block]),
        }
    }
    towers
}
