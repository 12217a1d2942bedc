//! Triangles as read from a file, and errors in reading it.

use thiserror::Error;

/// Largest number of triangles of a mesh; keeps a wrong file from taking minutes.
pub const MAX_TRIANGLES: usize = 200_000;

/// Triangles in the axes of their file, with normals and texture coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices, in the file's unit; in metres for COLLADA, which gives its unit.
    pub vertices: Vec<[f64; 3]>,
    /// Indices of vertices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Normals, in OBJ and MSH files of any length: one for each vertex, or none.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, (0, 0) at the upper left of an image: one for each vertex, or none.
    pub texcoords: Vec<[f32; 2]>,
    /// Up axis, from the file or its format.
    pub up: Up,
}

/// A vertex that belongs to one triangle only.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corner {
    pub(crate) position: [f64; 3],
    pub(crate) normal: Option<[f32; 3]>,
    pub(crate) texcoord: Option<[f32; 2]>,
}

impl From<[f64; 3]> for Corner {
    fn from(position: [f64; 3]) -> Self {
        Self {
            position,
            ..Self::default()
        }
    }
}

/// Up axis of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// The x axis; -y points to the right.
    X,
    /// The y axis; x points to the right.
    Y,
    /// The z axis, as in a scene.
    #[default]
    Z,
}

pub(crate) type Result<T, E = ReadError> = std::result::Result<T, E>;

/// Reason why a mesh file cannot be used, in one sentence.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file is a pointer of Git LFS.
    #[error("it is a Git LFS pointer; fetch the file with `git lfs pull`")]
    Pointer,
    /// The file name's extension is not known.
    #[error(
        "its name ends in `{ending}`, but only .obj, .stl, .gltf, .glb, .dae and .msh are read"
    )]
    UnknownFormat {
        /// Extension of the file name.
        ending: String,
    },
    /// The library that reads the format failed.
    #[error("the file is malformed")]
    Malformed,
    /// The reader of the format rejects the file with a message.
    #[error("{0}")]
    Refused(String),
    /// A triangle has a vertex that is not in the file.
    #[error("a triangle has a corner that does not exist")]
    MissingCorner,
    /// There are more than [`MAX_TRIANGLES`] triangles.
    #[error("it holds more than {MAX_TRIANGLES} triangles; reduce it in a modelling program")]
    TooManyTriangles,
    /// Coordinates are not finite.
    #[error("{n} of its {of} corners have coordinates that are not finite numbers")]
    NotFinite {
        /// Number of vertices with such coordinates.
        n: usize,
        /// Number of all vertices.
        of: usize,
    },
    /// There are no triangles.
    #[error("it holds no triangles")]
    NoTriangles,
}

pub(crate) fn malformed(why: impl std::fmt::Display) -> ReadError {
    ReadError::Refused(format!("the file is malformed: {why}"))
}

pub(crate) fn truncated(why: impl std::fmt::Display) -> ReadError {
    ReadError::Refused(format!("the file is truncated: {why}"))
}

impl From<String> for ReadError {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

impl Mesh {
    /// Makes a mesh for contact only, without normals and texture coordinates.
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self {
            vertices,
            triangles,
            ..Self::default()
        }
    }

    /// Rotates the mesh so that z is up. Its up axis is the given one, or that of the file.
    pub fn with_z_up(mut self, up: Option<Up>) -> Self {
        fn turn<T: Copy + std::ops::Neg<Output = T>>(up: Up, [x, y, z]: [T; 3]) -> [T; 3] {
            match up {
                Up::X => [-y, -z, x],
                Up::Y => [x, -z, y],
                Up::Z => [x, y, z],
            }
        }
        let up = up.unwrap_or(self.up);
        self.vertices.iter_mut().for_each(|p| *p = turn(up, *p));
        self.normals.iter_mut().for_each(|n| *n = turn(up, *n));
        self.up = Up::Z;
        self
    }

    /// Adds vertices, and triangles whose indices count from the first of these vertices.
    pub(crate) fn add(
        &mut self,
        vertices: impl Iterator<Item = [f64; 3]>,
        triangles: impl Iterator<Item = [u32; 3]>,
    ) -> Result<()> {
        let before = self.vertices.len();
        self.vertices.extend(vertices);
        let offset = u32::try_from(before).map_err(|_| ReadError::MissingCorner)?;
        let n_new = self.vertices.len() - before;
        let n_new = u32::try_from(n_new).map_err(|_| ReadError::MissingCorner)?;
        for triangle in triangles {
            if triangle.iter().any(|&index| index >= n_new) {
                return Err(ReadError::MissingCorner);
            }
            self.triangles.push(triangle.map(|index| index + offset));
            if self.triangles.len() > MAX_TRIANGLES {
                return Err(ReadError::TooManyTriangles);
            }
        }
        Ok(())
    }

    pub(crate) fn add_flat(&mut self, corners: [Corner; 3]) -> Result<()> {
        self.normals.extend(corners.iter().filter_map(|c| c.normal));
        let texcoords = corners.iter().filter_map(|c| c.texcoord);
        self.texcoords.extend(texcoords);
        self.add(
            corners.into_iter().map(|c| c.position),
            [[0, 1, 2]].into_iter(),
        )
    }

    /// Checks that there are triangles and that all their vertices exist and are finite. Normals
    /// and texture coordinates that only some vertices have are dropped.
    pub(crate) fn checked(mut self) -> Result<Self> {
        if self.normals.len() != self.vertices.len() {
            self.normals.clear();
        }
        if self.texcoords.len() != self.vertices.len() {
            self.texcoords.clear();
        }
        let is_wild = |p: &&[f64; 3]| p.iter().any(|x| !x.is_finite());
        match self.vertices.iter().filter(is_wild).count() {
            0 if self.triangles.is_empty() => Err(ReadError::NoTriangles),
            0 => Ok(self),
            n => Err(ReadError::NotFinite {
                n,
                of: self.vertices.len(),
            }),
        }
    }
}
