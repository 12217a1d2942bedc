//! Synthetic scans of everyday objects: triangulated level sets of distance functions, with or
//! without typical defects. The same seed gives the same scan.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "each test uses its own part of this module"
)]

/// Signed distance function, m: negative inside.
type Distance = fn([f64; 3]) -> f64;

/// An object that stands on the plane z = 0.
pub struct Scan {
    pub name: &'static str,
    /// Lower and upper corner of a box that contains the object, m.
    bounds: [[f64; 3]; 2],
    /// Edge length of a cell of the sampling grid, m.
    cell_m: f64,
    distance: Distance,
}

/// Defects caused by scanners and converters.
#[derive(Clone, Copy)]
pub struct Dirt {
    /// Maximum displacement of vertices along their normals, m.
    pub noise_m: f64,
    /// Number of missing triangles.
    pub n_holes: usize,
    /// Number of duplicate vertices with a slight offset.
    pub n_doubled: usize,
    /// Number of triangles that face inwards.
    pub n_flipped: usize,
    /// Number of triangles that stick out of the surface.
    pub n_fins: usize,
}

/// Defects of a handheld scanner.
pub const DIRTY: Dirt = Dirt {
    noise_m: 1.5e-4,
    n_holes: 3,
    n_doubled: 25,
    n_flipped: 4,
    n_fins: 3,
};

pub struct Triangles {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// Returns twelve everyday objects.
pub fn scans() -> Vec<Scan> {
    let distances: [Distance; 12] = [
        mug, bowl, pan, bottle, banana, apple, carton, can, clamp, drill, brick, spoon,
    ];
    // Name, lower corner, upper corner, and edge length of a cell, m.
    let table = "
        mug     -0.044 -0.044    0.0   0.076  0.044  0.095  0.0027
        bowl    -0.075 -0.075    0.0   0.075  0.075  0.055  0.0027
        pan     -0.085 -0.085    0.0     0.2  0.085  0.045  0.0032
        bottle  -0.033 -0.033    0.0   0.033  0.033   0.19  0.0022
        banana    -0.1  -0.03    0.0     0.1   0.06   0.04  0.0018
        apple    -0.04  -0.04    0.0    0.04   0.04  0.075  0.0016
        carton  -0.031 -0.051    0.0   0.031  0.051   0.12  0.0022
        can     -0.035 -0.035    0.0   0.035  0.035  0.102  0.002
        clamp    -0.06 -0.045    0.0    0.06  0.045  0.025  0.0018
        drill    -0.09 -0.055    0.0   0.095  0.125  0.056  0.0026
        brick   -0.033 -0.018    0.0   0.033  0.018   0.03  0.0013
        spoon     -0.1 -0.025    0.0     0.1  0.025  0.028  0.0015";
    let scan = |(line, distance): (&'static str, Distance)| {
        let words = line.trim().split_once(' ');
        let (name, numbers) = words.expect("a line begins with a name");
        let numbers = numbers.split_whitespace().map(str::parse);
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().expect("numbers");
        let [a, b, c, d, e, f, cell_m] = numbers[..] else {
            panic!("a line does not have seven numbers: {line}");
        };
        Scan {
            name,
            bounds: [[a, b, c], [d, e, f]],
            cell_m,
            distance,
        }
    };
    table.trim().lines().zip(distances).map(scan).collect()
}

fn len2(x: f64, y: f64) -> f64 {
    x.hypot(y)
}

fn len3(p: [f64; 3]) -> f64 {
    p.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Distance to a box with rounded edges.
fn rounded(p: [f64; 3], middle: [f64; 3], half: [f64; 3], radius: f64) -> f64 {
    let q = [0, 1, 2].map(|i| (p[i] - middle[i]).abs() - half[i] + radius);
    len3(q.map(|x| x.max(0.0))) + q.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x)).min(0.0)
        - radius
}

/// Distance to an upright cylinder between two heights, with rounded edges.
fn upright(p: [f64; 3], radius: f64, [low, high]: [f64; 2], edge: f64) -> f64 {
    let d = [
        len2(p[0], p[1]) - radius + edge,
        (p[2] - 0.5 * (low + high)).abs() - 0.5 * (high - low) + edge,
    ];
    d[0].max(d[1]).min(0.0) + len2(d[0].max(0.0), d[1].max(0.0)) - edge
}

fn capsule(p: [f64; 3], a: [f64; 3], b: [f64; 3], radius: f64) -> f64 {
    let u = [0, 1, 2].map(|i| p[i] - a[i]);
    let v = [0, 1, 2].map(|i| b[i] - a[i]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let share = (dot(u, v) / dot(v, v)).clamp(0.0, 1.0);
    len3([0, 1, 2].map(|i| u[i] - share * v[i])) - radius
}

/// Distance to the union of two bodies with a fillet.
fn joined(a: f64, b: f64, fillet: f64) -> f64 {
    let h = (0.5 + 0.5 * (b - a) / fillet).clamp(0.0, 1.0);
    b + (a - b) * h - fillet * h * (1.0 - h)
}

fn mug(p: [f64; 3]) -> f64 {
    let body = upright(p, 0.041, [0.0, 0.094], 0.003);
    let handle = {
        let [x, y, z] = [p[0] - 0.042, p[1], p[2] - 0.048];
        let ring = len2(len2(x, z * 0.85) - 0.024, y) - 0.0055;
        ring.max(-x)
    };
    joined(body, handle, 0.004).max(-upright(p, 0.0355, [0.007, 0.12], 0.004))
}

fn bowl(p: [f64; 3]) -> f64 {
    let q = [p[0], p[1], p[2] - 0.074];
    let shell = (len3(q) - 0.0705).abs() - 0.003;
    let cut = shell.max(p[2] - 0.053);
    joined(cut, upright(p, 0.034, [0.0, 0.008], 0.002), 0.003)
}

fn pan(p: [f64; 3]) -> f64 {
    let hollow = upright(p, 0.077, [0.0055, 0.09], 0.006);
    let body = upright(p, 0.082, [0.0, 0.042], 0.003).max(-hollow);
    let handle = rounded(p, [0.135, 0.0, 0.032], [0.06, 0.011, 0.007], 0.005);
    joined(body, handle, 0.004).max(-hollow)
}

fn bottle(p: [f64; 3]) -> f64 {
    let body = upright(p, 0.031, [0.0, 0.125], 0.006);
    let neck = upright(p, 0.0135, [0.1, 0.185], 0.003);
    joined(body, neck, 0.025)
}

fn banana(p: [f64; 3]) -> f64 {
    // A tube along an arc with a radius of 12 cm, thinner at its ends.
    let (x, y) = (p[0], p[1] + 0.1);
    let angle = x.atan2(y).clamp(-0.75, 0.75);
    let on = [0.12 * angle.sin(), 0.12 * angle.cos() - 0.1, 0.018];
    let thick = 0.0175 - 0.011 * (angle / 0.75).powi(4);
    let off = [p[0] - on[0], p[1] - on[1], p[2] - on[2]];
    len3(off) - thick
}

fn apple(p: [f64; 3]) -> f64 {
    let (r, z) = (len2(p[0], p[1]), p[2] - 0.0242);
    // The radius of the ring's tube exceeds that of the ring, so that its hole closes to dimples.
    let ring = len2(r - 0.011, z * 0.95) - 0.023;
    joined(ring, len3([p[0], p[1], z]) - 0.02, 0.01)
}

fn carton(p: [f64; 3]) -> f64 {
    rounded(p, [0.0, 0.0, 0.059], [0.0295, 0.0495, 0.0585], 0.006)
}

fn can(p: [f64; 3]) -> f64 {
    let body = upright(p, 0.0335, [0.0, 0.1], 0.002);
    let lid = upright(p, 0.03, [0.097, 0.12], 0.001);
    body.max(-lid)
}

fn clamp(p: [f64; 3]) -> f64 {
    let bar = |middle, half| rounded(p, middle, half, 0.003);
    let spine = bar([-0.045, 0.0, 0.012], [0.012, 0.042, 0.0115]);
    let jaws = [0.03, -0.03].map(|y| bar([0.0, y, 0.012], [0.055, 0.011, 0.0115]));
    let screw = capsule(p, [0.04, -0.02, 0.012], [0.04, 0.012, 0.012], 0.006);
    joined(spine, jaws[0].min(jaws[1]), 0.004).min(screw)
}

fn drill(p: [f64; 3]) -> f64 {
    let body = capsule(p, [-0.06, -0.02, 0.027], [0.04, -0.02, 0.027], 0.026);
    let chuck = capsule(p, [0.05, -0.02, 0.027], [0.08, -0.02, 0.027], 0.013);
    let grip = rounded(p, [-0.03, 0.04, 0.027], [0.017, 0.055, 0.015], 0.008);
    let battery = rounded(p, [-0.02, 0.1, 0.0225], [0.038, 0.02, 0.0225], 0.006);
    let body = joined(joined(body, chuck, 0.006), grip, 0.008);
    joined(body, battery, 0.006)
}

fn brick(p: [f64; 3]) -> f64 {
    let body = rounded(p, [0.0, 0.0, 0.0115], [0.0318, 0.0158, 0.0115], 0.001);
    let stud = |x: f64, y: f64| upright([p[0] - x, p[1] - y, p[2]], 0.0049, [0.02, 0.027], 0.0008);
    let studs = [-0.024, -0.008, 0.008, 0.024].map(|x| stud(x, 0.008).min(stud(x, -0.008)));
    studs.into_iter().fold(body, f64::min)
}

fn spoon(p: [f64; 3]) -> f64 {
    let handle = capsule(p, [-0.09, 0.0, 0.0085], [0.03, 0.0, 0.0085], 0.0065);
    let q = [(p[0] - 0.062) * 0.62, p[1], (p[2] - 0.022) * 1.05];
    let shell = ((len3(q) - 0.0205).abs() - 0.0022).max(p[2] - 0.0145);
    joined(handle.max(p[0] - 0.036), shell, 0.003)
}

/// Indices of a grid from `first` up to but excluding `end` along each axis. The first axis varies
/// fastest.
fn cells(first: usize, end: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let planes = (first..end[2]).flat_map(move |k| (first..end[1]).map(move |j| [j, k]));
    planes.flat_map(move |[j, k]| (first..end[0]).map(move |i| [i, j, k]))
}

impl Scan {
    /// Returns the surface without defects.
    pub fn clean(&self) -> Triangles {
        let [low, high] = self.bounds;
        let low = low.map(|x| x - 2.37 * self.cell_m);
        let n = [0, 1, 2].map(|i| ((high[i] - low[i]) / self.cell_m).ceil() as usize + 4);
        let place = |c: [usize; 3]| [0, 1, 2].map(|i| low[i] + c[i] as f64 * self.cell_m);
        let index = |c: [usize; 3]| (c[2] * (n[1] + 1) + c[1]) * (n[0] + 1) + c[0];
        let mut at = vec![0.0; (n[0] + 1) * (n[1] + 1) * (n[2] + 1)];
        for c in cells(0, n.map(|n| n + 1)) {
            at[index(c)] = (self.distance)(place(c));
        }
        // Naive surface nets: one vertex in each cell that the surface crosses.
        let mut corner = vec![None; at.len()];
        let mut vertices = Vec::new();
        for here in cells(0, n) {
            let around = cells(0, [2; 3]).map(|o| [0, 1, 2].map(|i| here[i] + o[i]));
            let around: Vec<_> = around.map(|c| (place(c), at[index(c)])).collect();
            let (mut sum, mut crossed) = ([0.0; 3], 0.0);
            for (a, axis) in (0..8usize).flat_map(|a| (0..3).map(move |axis| (a, axis))) {
                let b = a | 1 << axis;
                let ((p, u), (q, v)) = (around[a], around[b]);
                if a != b && (u < 0.0) != (v < 0.0) {
                    let share = u / (u - v);
                    (0..3).for_each(|x| sum[x] += p[x] + share * (q[x] - p[x]));
                    crossed += 1.0;
                }
            }
            if crossed > 0.0 {
                corner[index(here)] = Some(vertices.len() as u32);
                vertices.push(sum.map(|x| x / crossed));
            }
        }
        let mut triangles = Vec::new();
        for (here, axis) in cells(1, n).flat_map(|c| (0..3).map(move |axis| (c, axis))) {
            let mut next = here;
            next[axis] += 1;
            let is_in = [here, next].map(|c| at[index(c)] < 0.0);
            if is_in[0] == is_in[1] {
                continue;
            }
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            let cell = |du: usize, dv: usize| {
                let mut c = here;
                c[u] -= du;
                c[v] -= dv;
                corner[index(c)].expect("a cell at a crossed edge has no vertex")
            };
            let mut quad = [cell(1, 1), cell(0, 1), cell(0, 0), cell(1, 0)];
            if !is_in[0] {
                quad.reverse();
            }
            triangles.push([quad[0], quad[1], quad[2]]);
            triangles.push([quad[0], quad[2], quad[3]]);
        }
        Triangles {
            vertices,
            triangles,
        }
    }

    /// Returns the surface with defects.
    pub fn dirty(&self, dirt: Dirt, seed: u64) -> Triangles {
        let mut made = self.clean();
        let mut draw = Draw(seed ^ 0x9e37_79b9_7f4a_7c15);
        self.shake(&mut made, dirt.noise_m, &mut draw);
        let n = made.triangles.len();
        // The defects are far apart, so that they do not merge into larger ones.
        let n_faults = dirt.n_holes + dirt.n_doubled + dirt.n_flipped + dirt.n_fins;
        let step = n / (n_faults + 1);
        let places = (1..=n_faults).map(|i| i * step + draw.below(step / 4));
        let places: Vec<usize> = places.collect();
        let mut places = places.into_iter();
        for i in places.by_ref().take(dirt.n_flipped) {
            made.triangles[i].swap(1, 2);
        }
        for i in places.by_ref().take(dirt.n_doubled) {
            let p = made.vertices[made.triangles[i][0] as usize];
            made.triangles[i][0] = made.vertices.len() as u32;
            made.vertices.push(p.map(|x| x + 4e-6 * draw.signed()));
        }
        for i in places.by_ref().take(dirt.n_fins) {
            let [a, b, _] = made.triangles[i];
            let p = made.vertices[a as usize];
            let tip = made.vertices.len() as u32;
            made.vertices
                .push([0, 1, 2].map(|x| p[x] + self.cell_m * draw.signed()));
            made.triangles.push([a, b, tip]);
        }
        let holes: Vec<usize> = places.collect();
        holes.iter().rev().for_each(|i| {
            made.triangles.remove(*i);
        });
        made
    }

    fn shake(&self, made: &mut Triangles, noise_m: f64, draw: &mut Draw) {
        for p in &mut made.vertices {
            let by = noise_m * 0.5 * (draw.signed() + draw.signed());
            let step = 0.1 * self.cell_m;
            let slope = [0, 1, 2].map(|i| {
                let mut q = *p;
                q[i] += step;
                (self.distance)(q) - (self.distance)(*p)
            });
            let long = len3(slope).max(1e-12);
            *p = [0, 1, 2].map(|i| p[i] + by * slope[i] / long);
        }
    }
}

impl Triangles {
    /// Encodes the surface as binary STL.
    pub fn stl(&self) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((self.triangles.len() as u32).to_le_bytes());
        for triangle in &self.triangles {
            bytes.extend([0; 12]);
            for corner in triangle {
                for x in self.vertices[*corner as usize] {
                    bytes.extend((x as f32).to_le_bytes());
                }
            }
            bytes.extend([0; 2]);
        }
        bytes
    }
}

/// Pseudo-random number generator SplitMix64.
pub struct Draw(pub u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Draws a number from -1 to 1.
    pub fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}
