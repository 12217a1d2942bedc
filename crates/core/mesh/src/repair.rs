//! Repairs triangles that nearly enclose a solid, where that is safe.
//!
//! Scanners and converters leave vertices that are duplicated within a tolerance, vertices in the
//! middle of a neighbour's edge, duplicate triangles, triangles that stand off like fins or face
//! the wrong way, specks, and small holes. Each is repaired only where it is small compared to the
//! object, and reported. Large holes stay open: their original surface is unknown.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regrasp_geometry::Aabb;

use crate::closed::{flaw, written};
use crate::triangles::Mesh;

/// Distance up to which vertices of open edges are merged, or count as lying on an edge, as a
/// fraction of the object's length.
const NEAR: f64 = 5e-4;
/// Largest hole to close and fin to remove, and twice the largest speck to remove, as a fraction of
/// the object's length.
const SMALL: f64 = 0.1;
/// Upper bound of the limit [`SMALL`] for large objects, m.
const SMALL_M: f64 = 0.02;
/// Largest total area of small holes, as a fraction of the surface.
const HOLES: f64 = 0.02;
/// Largest fraction of the triangles that may be flipped.
const TURNED: f64 = 0.05;

type Edge = [u32; 2];

/// Returns a closed surface and its repairs, one sentence each; or its flaw, if it stays open.
pub(crate) fn repaired(mesh: Mesh) -> Result<(Mesh, Vec<String>), String> {
    let Some(before) = flaw(&mesh) else {
        return Ok((mesh, Vec::new()));
    };
    let (mesh, repairs) = attempt(&mesh);
    match (flaw(&mesh), widest_hole(&mesh)) {
        (None, _) => Ok((mesh, repairs)),
        (Some(_), Some((wide_m, [x, y, z]))) => Err(format!(
            "{before}; only small holes are closed automatically, and the widest is {:.0} mm \
             across, around ({x:.3}, {y:.3}, {z:.3}) m",
            1e3 * wide_m
        )),
        (Some(_), None) => Err(before),
    }
}

fn attempt(mesh: &Mesh) -> (Mesh, Vec<String>) {
    let mut work = Repair {
        length_m: across(mesh.vertices.iter()),
        mesh: mesh.clone(),
        repairs: vec![],
    };
    work.join_doubles();
    work.drop_repeats();
    work.split_edges();
    work.drop_fins();
    work.drop_specks();
    work.turn_around();
    work.close_holes();
    (work.mesh, work.repairs)
}

struct Repair {
    mesh: Mesh,
    repairs: Vec<String>,
    length_m: f64,
}

impl Repair {
    fn at(&self, i: u32) -> [f64; 3] {
        self.mesh.vertices[i as usize]
    }

    fn small_m(&self) -> f64 {
        (SMALL * self.length_m).min(SMALL_M)
    }

    fn open_edges(&self) -> Vec<Edge> {
        let edges = edges(&self.mesh).into_iter();
        let open = edges.filter(|(_, at)| at.len() % 2 == 1);
        open.map(|(edge, _)| edge).collect()
    }

    /// Merges vertices of open edges that are nearly at the same position.
    fn join_doubles(&mut self) {
        let near_m = NEAR * self.length_m;
        let open: BTreeSet<u32> = self.open_edges().into_iter().flatten().collect();
        let mut grid = Grid::new(near_m);
        let mut new_index: Vec<u32> = (0..self.mesh.vertices.len() as u32).collect();
        let (mut n, mut furthest, mut place) = (0, 0.0, [0.0; 3]);
        for &i in &open {
            let p = self.at(i);
            let nearest = grid
                .near(&p)
                .map(|j| (distance(&p, &self.at(j)), j))
                .filter(|(off, _)| *off <= near_m)
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            match nearest {
                Some((off, j)) => {
                    new_index[i as usize] = j;
                    n += 1;
                    if off >= furthest {
                        (furthest, place) = (off, p);
                    }
                }
                None => grid.add(i, &p),
            }
        }
        if n == 0 {
            return;
        }
        let triangles = self.mesh.triangles.iter();
        let joined = triangles.map(|t| t.map(|i| new_index[i as usize]));
        self.mesh = Mesh::new(self.mesh.vertices.clone(), joined.collect()).welded();
        self.repairs.push(format!(
            "joined {n} duplicate corner{}, at most {:.3} mm apart, such as at {} m",
            s(n),
            1e3 * furthest,
            written(&place)
        ));
    }

    /// Removes duplicate triangles: all but one of those that face the same way, and both of two
    /// that face opposite ways.
    fn drop_repeats(&mut self) {
        let mut of: BTreeMap<[u32; 3], Vec<(usize, bool)>> = BTreeMap::new();
        for (i, triangle) in self.mesh.triangles.iter().enumerate() {
            let mut sorted = *triangle;
            sorted.sort_unstable();
            let [a, b, c] = *triangle;
            let is_even = [[a, b, c], [b, c, a], [c, a, b]].contains(&sorted);
            of.entry(sorted).or_default().push((i, is_even));
        }
        let mut dropped = BTreeSet::new();
        for copies in of.values().filter(|copies| copies.len() > 1) {
            let senses = copies.iter().map(|(_, sense)| if *sense { 1 } else { -1 });
            let balance: i32 = senses.sum();
            let is_kept = |sense: bool| balance != 0 && sense == (balance > 0);
            let keep = copies.iter().find(|(_, sense)| is_kept(*sense));
            let keep = keep.map(|(i, _)| *i);
            dropped.extend(copies.iter().map(|(i, _)| *i).filter(|i| Some(*i) != keep));
        }
        self.drop(&dropped, "duplicate triangle", "");
    }

    /// Splits open edges at vertices in their middle.
    fn split_edges(&mut self) {
        let near_m = NEAR * self.length_m;
        let (mut n, mut place) = (0, [0.0; 3]);
        // Each round splits each edge at most once; a long edge may touch many vertices.
        for _ in 0..64 {
            let open = self.open_edges();
            let corners: BTreeSet<u32> = open.iter().flatten().copied().collect();
            let mut grid = Grid::new(0.02 * self.length_m);
            corners.iter().for_each(|&i| grid.add(i, &self.at(i)));
            let mut splits: BTreeMap<usize, (Edge, u32)> = BTreeMap::new();
            let edges = edges(&self.mesh);
            for edge in open {
                let [a, b] = edge.map(|i| self.at(i));
                let on = grid.along(&a, &b).into_iter();
                let on = on.filter(|i| !edge.contains(i));
                let on = on.filter(|&i| lies_on(&self.at(i), &a, &b, near_m));
                let first = on.min_by(|&i, &j| {
                    distance(&a, &self.at(i))
                        .total_cmp(&distance(&a, &self.at(j)))
                        .then(i.cmp(&j))
                });
                let Some(corner) = first else { continue };
                for (triangle, _) in edges.get(&edge).into_iter().flatten() {
                    let is_corner = self.mesh.triangles[*triangle].contains(&corner);
                    if !is_corner {
                        splits.entry(*triangle).or_insert((edge, corner));
                    }
                }
            }
            if splits.is_empty() {
                break;
            }
            for (triangle, (edge, corner)) in splits {
                let sides = sides(&self.mesh.triangles[triangle]);
                let side = sides
                    .iter()
                    .find(|[from, to]| edge.contains(from) && edge.contains(to));
                let Some([from, to]) = side.copied() else {
                    continue;
                };
                let corners = self.mesh.triangles[triangle];
                let Some(tip) = corners.into_iter().find(|c| ![from, to].contains(c)) else {
                    continue;
                };
                self.mesh.triangles[triangle] = [from, corner, tip];
                self.mesh.triangles.push([corner, to, tip]);
                n += 1;
                place = self.at(corner);
            }
        }
        if n > 0 {
            self.repairs.push(format!(
                "split {n} edge{} at a corner of a neighbour, such as at {} m",
                s(n),
                written(&place)
            ));
        }
    }

    /// Removes small triangles at an edge that two others already share.
    fn drop_fins(&mut self) {
        let mut all = BTreeSet::new();
        loop {
            let edges = edges(&self.mesh);
            let n_at = |edge: Edge| {
                let edge = [edge[0].min(edge[1]), edge[0].max(edge[1])];
                let at = edges.get(&edge).into_iter().flatten();
                at.filter(|(i, _)| !all.contains(i)).count()
            };
            let small_m = self.small_m();
            let is_fin = |i: &usize| {
                let triangle = &self.mesh.triangles[*i];
                let n = sides(triangle).map(n_at);
                let n_open = n.iter().filter(|n| **n == 1).count();
                let is_small =
                    across(triangle.iter().map(|i| &self.mesh.vertices[*i as usize])) <= small_m;
                !all.contains(i) && n_open >= 1 && n.iter().any(|n| *n > 2) && is_small
            };
            let fins: Vec<usize> = (0..self.mesh.triangles.len()).filter(is_fin).collect();
            if fins.is_empty() {
                break;
            }
            all.extend(fins);
        }
        self.drop(&all, "triangle", " that stood off an edge");
    }

    /// Removes small open pieces without a connection to others.
    fn drop_specks(&mut self) {
        let piece = self.pieces();
        let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, piece) in piece.iter().enumerate() {
            of.entry(*piece).or_default().push(i);
        }
        let edges = edges(&self.mesh);
        let open = edges.values().filter(|at| at.len() % 2 == 1);
        let open = open.filter_map(|at| Some(piece[at.first()?.0]));
        let open: BTreeSet<usize> = open.collect();
        let small_m = 0.5 * self.small_m();
        let is_speck = |triangles: &[usize]| {
            let corners = triangles.iter().flat_map(|i| self.mesh.triangles[*i]);
            across(corners.map(|i| &self.mesh.vertices[i as usize])) <= small_m
        };
        let specks = of
            .iter()
            .filter(|(piece, list)| open.contains(piece) && is_speck(list));
        let dropped: BTreeSet<usize> = specks.flat_map(|(_, list)| list.iter().copied()).collect();
        if dropped.len() < self.mesh.triangles.len() {
            self.drop(&dropped, "triangle", " in loose specks");
        }
    }

    /// Returns, for each triangle, the index of the first triangle of its connected piece.
    fn pieces(&self) -> Vec<usize> {
        let mut root: Vec<usize> = (0..self.mesh.triangles.len()).collect();
        fn find(root: &mut [usize], mut i: usize) -> usize {
            while root[i] != i {
                root[i] = root[root[i]];
                i = root[i];
            }
            i
        }
        for at in edges(&self.mesh).values() {
            for pair in at.windows(2) {
                let (a, b) = (find(&mut root, pair[0].0), find(&mut root, pair[1].0));
                root[a.max(b)] = a.min(b);
            }
        }
        (0..root.len()).map(|i| find(&mut root, i)).collect()
    }

    /// Flips triangles that face the other way than most of their piece.
    fn turn_around(&mut self) {
        let n = self.mesh.triangles.len();
        let mut beside: Vec<Vec<(usize, bool)>> = vec![Vec::new(); n];
        for at in edges(&self.mesh).values() {
            if let [(a, way_a), (b, way_b)] = at[..] {
                beside[a].push((b, way_a == way_b));
                beside[b].push((a, way_a == way_b));
            }
        }
        let mut is_turned: Vec<Option<bool>> = vec![None; n];
        let mut turned: BTreeSet<usize> = BTreeSet::new();
        for start in 0..n {
            if is_turned[start].is_some() {
                continue;
            }
            is_turned[start] = Some(false);
            let (mut left, mut piece) = (vec![start], vec![]);
            while let Some(i) = left.pop() {
                piece.push(i);
                let sense = is_turned[i] == Some(true);
                for &(next, differs) in &beside[i] {
                    if is_turned[next].is_none() {
                        is_turned[next] = Some(sense ^ differs);
                        left.push(next);
                    }
                }
            }
            let (yes, no): (Vec<usize>, Vec<usize>) =
                piece.into_iter().partition(|i| is_turned[*i] == Some(true));
            turned.extend(if yes.len() <= no.len() { yes } else { no });
        }
        if turned.is_empty() || turned.len() as f64 > TURNED * n as f64 {
            return;
        }
        let place = turned.first().map(|i| self.at(self.mesh.triangles[*i][0]));
        turned
            .iter()
            .for_each(|i| self.mesh.triangles[*i].swap(1, 2));
        self.repairs.push(format!(
            "flipped {} triangle{} that faced inwards, such as at {} m",
            turned.len(),
            s(turned.len()),
            written(&place.unwrap_or_default())
        ));
    }

    /// Closes small holes with triangles around their middle.
    fn close_holes(&mut self) {
        let holes = holes(&self.mesh);
        let area = |t: &[u32; 3]| self.area(t.map(|i| self.at(i)));
        let surface: f64 = self.mesh.triangles.iter().map(area).sum();
        let mut covered = 0.0;
        let (mut n, mut n_edges, mut widest, mut place) = (0, 0, 0.0, [0.0; 3]);
        for hole in holes {
            let Some(cover) = self.cover(&hole) else {
                continue;
            };
            covered += cover.area_m2;
            if covered > HOLES * surface {
                break;
            }
            let wide = across(hole.iter().map(|i| &self.mesh.vertices[*i as usize]));
            if wide >= widest {
                (widest, place) = (wide, self.at(hole[0]));
            }
            n += 1;
            n_edges += hole.len();
            self.mesh.vertices.extend(cover.middle);
            self.mesh.triangles.extend(cover.triangles);
        }
        if n > 0 {
            self.repairs.push(format!(
                "closed {n} hole{} with {n_edges} open edges, the widest {:.1} mm across, at {} m",
                s(n),
                1e3 * widest,
                written(&place)
            ));
        }
    }

    /// Returns the triangles that close a hole, if it is small.
    fn cover(&self, hole: &[u32]) -> Option<Cover> {
        let wide = across(hole.iter().map(|i| &self.mesh.vertices[*i as usize]));
        // The limit is on the width, since the area of a crack is small however long it is.
        if hole.len() < 3 || wide > self.small_m() {
            return None;
        }
        if let [a, b, c] = hole[..] {
            return Some(Cover {
                area_m2: self.area([a, b, c].map(|i| self.at(i))),
                middle: None,
                triangles: vec![[c, b, a]],
            });
        }
        let n = hole.len() as f64;
        let middle = [0, 1, 2].map(|i| hole.iter().map(|j| self.at(*j)[i]).sum::<f64>() / n);
        let new = self.mesh.vertices.len() as u32;
        let next = hole.iter().cycle().skip(1);
        let pairs: Vec<[u32; 2]> = hole.iter().zip(next).map(|(a, b)| [*a, *b]).collect();
        let areas = pairs
            .iter()
            .map(|[a, b]| self.area([self.at(*a), self.at(*b), middle]));
        Some(Cover {
            area_m2: areas.sum(),
            middle: Some(middle),
            triangles: pairs.iter().map(|[a, b]| [*b, *a, new]).collect(),
        })
    }

    fn area(&self, [a, b, c]: [[f64; 3]; 3]) -> f64 {
        let [u, v] = [b, c].map(|p| nalgebra::Vector3::from([0, 1, 2].map(|i| p[i] - a[i])));
        0.5 * u.cross(&v).norm()
    }

    fn drop(&mut self, dropped: &BTreeSet<usize>, what: &str, why: &str) {
        let Some(first) = dropped.first() else { return };
        let place = self.at(self.mesh.triangles[*first][0]);
        let kept = self.mesh.triangles.iter().enumerate();
        let kept = kept.filter(|(i, _)| !dropped.contains(i)).map(|(_, t)| *t);
        self.mesh = Mesh::new(self.mesh.vertices.clone(), kept.collect()).welded();
        let n = dropped.len();
        self.repairs.push(format!(
            "removed {n} {what}{}{why}, such as at {} m",
            s(n),
            written(&place)
        ));
    }
}

struct Cover {
    area_m2: f64,
    middle: Option<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// Triangles of each edge, with true if the triangle runs from the lower index to the higher one.
fn edges(mesh: &Mesh) -> BTreeMap<Edge, Vec<(usize, bool)>> {
    let mut edges: BTreeMap<Edge, Vec<(usize, bool)>> = BTreeMap::new();
    for (i, triangle) in mesh.triangles.iter().enumerate() {
        for [from, to] in sides(triangle) {
            let edge = [from.min(to), from.max(to)];
            edges.entry(edge).or_default().push((i, from < to));
        }
    }
    edges
}

/// Returns the rim of each hole: its vertices, in the direction of the adjacent triangles.
fn holes(mesh: &Mesh) -> Vec<Vec<u32>> {
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for ([low, high], at) in edges(mesh) {
        let sense: i32 = at.iter().map(|(_, up)| if *up { 1 } else { -1 }).sum();
        for _ in 0..sense.abs() {
            let (from, to) = if sense > 0 { (low, high) } else { (high, low) };
            next.entry(from).or_default().push(to);
        }
    }
    let mut holes = Vec::new();
    while let Some(start) = next
        .iter()
        .find(|(_, to)| !to.is_empty())
        .map(|(from, _)| *from)
    {
        let mut rim = vec![start];
        let mut at = start;
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            // A vertex that occurs again closes a separate hole.
            if let Some(i) = rim.iter().position(|corner| *corner == to) {
                holes.push(rim.split_off(i));
                match rim.last() {
                    Some(_) => rim.push(to),
                    None => break,
                }
            } else {
                rim.push(to);
            }
            at = to;
        }
    }
    holes
}

/// Width, m, and position of the widest remaining hole.
fn widest_hole(mesh: &Mesh) -> Option<(f64, [f64; 3])> {
    let holes = holes(mesh).into_iter().map(|hole| {
        let n = hole.len().max(1) as f64;
        let points = || hole.iter().map(|i| &mesh.vertices[*i as usize]);
        let middle = [0, 1, 2].map(|i| points().map(|p| p[i]).sum::<f64>() / n);
        (across(points()), middle)
    });
    holes.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// Vertices, grouped by the cells of a regular grid.
struct Grid {
    cell_m: f64,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl Grid {
    fn new(cell_m: f64) -> Self {
        let cells = HashMap::new();
        Self { cell_m, cells }
    }

    fn cell(&self, p: &[f64; 3]) -> [i64; 3] {
        p.map(|x| (x / self.cell_m).floor() as i64)
    }

    fn add(&mut self, i: u32, p: &[f64; 3]) {
        self.cells.entry(self.cell(p)).or_default().push(i);
    }

    /// Vertices in the cell of a point and in those around it.
    fn near(&self, p: &[f64; 3]) -> impl Iterator<Item = u32> {
        let [x, y, z] = self.cell(p);
        let around = (-1..=1).flat_map(|i| (-1..=1).map(move |j| [i, j]));
        let cells = around.flat_map(move |[i, j]| (-1..=1).map(move |k| [x + i, y + j, z + k]));
        cells
            .filter_map(move |c| self.cells.get(&c))
            .flatten()
            .copied()
    }

    fn along(&self, a: &[f64; 3], b: &[f64; 3]) -> BTreeSet<u32> {
        let steps = (distance(a, b) / self.cell_m).ceil().max(1.0) as usize;
        let mut found = BTreeSet::new();
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            let p = [0, 1, 2].map(|i| a[i] + share * (b[i] - a[i]));
            found.extend(self.near(&p));
        }
        found
    }
}

fn sides([a, b, c]: &[u32; 3]) -> [Edge; 3] {
    [[*a, *b], [*b, *c], [*c, *a]]
}

fn lies_on(p: &[f64; 3], a: &[f64; 3], b: &[f64; 3], near_m: f64) -> bool {
    let [ab, ap] = [b, p].map(|q| nalgebra::Vector3::from([0, 1, 2].map(|i| q[i] - a[i])));
    let length = ab.norm();
    let along = ap.dot(&ab) / length.max(1e-12);
    let off = (ap.norm_squared() - along * along).max(0.0).sqrt();
    off <= near_m && along > near_m && along < length - near_m
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Longest side of the bounding box of points, m.
fn across<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> f64 {
    Aabb::around(points.copied()).size().max().max(0.0)
}

fn s(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}
