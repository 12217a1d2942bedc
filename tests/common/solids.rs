//! Solids as triangles, written as OBJ, binary STL, glTF and GLB.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test uses its own part of this module"
)]

use std::f64::consts::TAU;
use std::fmt::Write;

/// A closed surface: vertices in metres, triangles counter-clockwise from outside.
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub(crate) vertices: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Solid {
    /// Union of the cells that `is_full` selects from a grid with these coordinates along x, y, z.
    pub(crate) fn bricks(at: [&[f64]; 3], is_full: impl Fn(usize, usize, usize) -> bool) -> Self {
        let n = at.map(|list| list.len() as i64 - 1);
        let full = |cell: [i64; 3]| {
            (0..3).all(|i| (0..n[i]).contains(&cell[i]))
                && is_full(cell[0] as usize, cell[1] as usize, cell[2] as usize)
        };
        let mut solid = Self {
            vertices: vec![],
            triangles: vec![],
        };
        let cells = (0..n[0]).flat_map(|x| (0..n[1]).map(move |y| (x, y)));
        let cells = cells.flat_map(|(x, y)| (0..n[2]).map(move |z| [x, y, z]));
        for cell in cells.filter(|cell| full(*cell)) {
            for (axis, side) in (0..3).flat_map(|axis| [(axis, -1), (axis, 1)]) {
                let mut beside = cell;
                beside[axis] += side;
                if !full(beside) {
                    solid.face(&at, cell, axis, side);
                }
            }
        }
        solid
    }

    fn face(&mut self, at: &[&[f64]; 3], cell: [i64; 3], axis: usize, side: i64) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |du: i64, dv: i64| {
            let mut idx = cell;
            idx[axis] += (side + 1) / 2;
            idx[u] += du;
            idx[v] += dv;
            [0, 1, 2].map(|i| at[i][idx[i] as usize])
        };
        let first = self.vertices.len() as u32;
        self.vertices
            .extend([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]);
        let turn = |t: [u32; 3]| if side > 0 { t } else { [t[0], t[2], t[1]] };
        let both = [[0, 1, 2], [0, 2, 3]].map(|t| turn(t).map(|i| first + i));
        self.triangles.extend(both);
    }

    /// Solid of revolution about the z axis in `n` steps. The points of the closed outline are
    /// distances from the axis and heights, counter-clockwise.
    pub(crate) fn turned(outline: &[[f64; 2]], n: u32) -> Self {
        let mut solid = Self {
            vertices: vec![],
            triangles: vec![],
        };
        for step in 0..n {
            let (sin, cos) = (TAU * f64::from(step) / f64::from(n)).sin_cos();
            let around = outline.iter().map(|[r, z]| [r * cos, r * sin, *z]);
            solid.vertices.extend(around);
        }
        let m = outline.len() as u32;
        for (step, i) in (0..n).flat_map(|step| (0..m).map(move |i| (step, i))) {
            let at = |step: u32, i: u32| (step % n) * m + i % m;
            let [a, b] = [at(step, i), at(step, i + 1)];
            let [c, d] = [at(step + 1, i + 1), at(step + 1, i)];
            solid.triangles.extend([[a, c, b], [a, d, c]]);
        }
        let at = |i: u32| solid.vertices[i as usize];
        let is_flat =
            |[a, b, c]: &[u32; 3]| at(*a) == at(*b) || at(*b) == at(*c) || at(*c) == at(*a);
        let triangles = solid.triangles.iter().filter(|t| !is_flat(t));
        Self {
            triangles: triangles.copied().collect(),
            ..solid.clone()
        }
    }

    pub(crate) fn moved(mut self, by: [f64; 3]) -> Self {
        for p in &mut self.vertices {
            *p = [0, 1, 2].map(|i| p[i] + by[i]);
        }
        self
    }

    pub(crate) fn obj(&self, unit: f64) -> Vec<u8> {
        let mut text = "# made by a test\nmtllib nowhere.mtl\no solid\n".to_owned();
        for [x, y, z] in &self.vertices {
            let _ = writeln!(text, "v {} {} {}", x / unit, y / unit, z / unit);
        }
        for [a, b, c] in &self.triangles {
            let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        text.into_bytes()
    }

    pub(crate) fn stl(&self, unit: f64) -> Vec<u8> {
        let mut bytes = vec![b' '; 80];
        bytes.extend((self.triangles.len() as u32).to_le_bytes());
        for triangle in &self.triangles {
            bytes.extend([0; 12]);
            for x in triangle.iter().flat_map(|i| self.vertices[*i as usize]) {
                bytes.extend(((x / unit) as f32).to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    /// Positions and indices as in glTF, with y up.
    pub(crate) fn gltf_buffer(&self) -> Vec<u8> {
        let up = self.vertices.iter().flat_map(|[x, y, z]| [*x, *z, -*y]);
        let positions = up.flat_map(|x| (x as f32).to_le_bytes());
        let indices = self.triangles.iter().flatten();
        positions
            .chain(indices.flat_map(|i| i.to_le_bytes()))
            .collect()
    }

    /// Text of a glTF file. `uri` is the location of the buffer, or `None` if it is the binary
    /// chunk.
    pub(crate) fn gltf_json(&self, uri: Option<&str>) -> String {
        let (n, m) = (self.vertices.len(), 3 * self.triangles.len());
        let uri = uri.map_or(String::new(), |uri| format!(r#""uri": "{uri}", "#));
        let pick = |pick: fn(f32, f32) -> f32, start: f32| {
            let y_up = |[x, y, z]: &[f64; 3]| [*x, *z, -*y].map(|x| x as f32);
            let all = self.vertices.iter().map(y_up);
            let found = all.fold([start; 3], |a, b| [0, 1, 2].map(|i| pick(a[i], b[i])));
            format!("[{}, {}, {}]", found[0], found[1], found[2])
        };
        let min = pick(f32::min, f32::INFINITY);
        let max = pick(f32::max, f32::NEG_INFINITY);
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
            "nodes": [{{"mesh": 0}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
            "buffers": [{{{uri}"byteLength": {}}}],
            "bufferViews": [{{"buffer": 0, "byteLength": {}}},
                {{"buffer": 0, "byteOffset": {}, "byteLength": {}}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": {n}, "type": "VEC3",
                "min": {min}, "max": {max}}},
                {{"bufferView": 1, "componentType": 5125, "count": {m}, "type": "SCALAR"}}]}}"#,
            12 * n + 4 * m,
            12 * n,
            12 * n,
            4 * m,
        )
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.gltf_json(None).into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let buffer = self.gltf_buffer();
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend((28 + json.len() as u32 + buffer.len() as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", json), (b"BIN\0", buffer)] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(chunk);
        }
        bytes
    }
}

/// A box of these edge lengths, centred at the origin.
pub(crate) fn block([x, y, z]: [f64; 3]) -> Solid {
    let ends = [x, y, z].map(|edge| [-0.5 * edge, 0.5 * edge]);
    Solid::bricks([&ends[0], &ends[1], &ends[2]], |_, _, _| true)
}

/// An L that lies flat: 8 x 8 cm, with bars that are 3 cm wide and 3 cm high.
pub(crate) fn angle() -> Solid {
    let at = [-0.04, -0.01, 0.04];
    Solid::bricks([&at, &at, &[-0.015, 0.015]], |x, y, _| x == 0 || y == 0)
}

/// An upright T: a post of 3 x 3 x 6 cm with a beam of 9 x 3 x 3 cm on top.
pub(crate) fn tee() -> Solid {
    let x = [-0.045, -0.015, 0.015, 0.045];
    Solid::bricks([&x, &[-0.015, 0.015], &[0.0, 0.06, 0.09]], |x, _, z| {
        z == 1 || x == 1
    })
}

/// A cup without handle: 6 cm wide, 8 cm high, walls and floor of 4 mm.
pub(crate) fn cup() -> Solid {
    let outline = [
        [0.0, 0.0],
        [0.03, 0.0],
        [0.03, 0.08],
        [0.026, 0.08],
        [0.026, 0.004],
        [0.0, 0.004],
    ];
    Solid::turned(&outline, 24)
}

/// A round dish with an outward-leaning wall: 14 cm wide, 4 cm high.
pub(crate) fn dish() -> Solid {
    let outline = [
        [0.0, 0.0],
        [0.05, 0.0],
        [0.07, 0.04],
        [0.065, 0.04],
        [0.047, 0.005],
        [0.0, 0.005],
    ];
    Solid::turned(&outline, 24)
}
