//! What is to be seen.

use std::sync::Arc;

use regrasp_api::Pose;

use crate::mesh::Mesh;

/// The bodies of a world at one instant.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// The names of what instances stand for; instance `i + 1` is `instances[i]`.
    pub instances: Vec<String>,
    /// Everything that can be seen.
    pub bodies: Vec<Body>,
    /// Height of a floor without end, m; none if left out.
    pub floor_z: Option<f64>,
}

/// A mesh in its place.
#[derive(Clone, Debug)]
pub struct Body {
    /// What it belongs to: an index into [`Stage::instances`] plus one.
    pub instance: u16,
    /// Its surface.
    pub mesh: Arc<Mesh>,
    /// What it looks like.
    pub look: Look,
    /// Where it is.
    pub world_from_body: Pose,
}

/// What a surface looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Red, green, blue, 0 to 1, as a screen shows them (sRGB).
    pub rgb: [f32; 3],
    /// What is on it.
    pub finish: Finish,
    /// How bright its highlight is, 0 to 1.
    pub gloss: f32,
}

/// What is on a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// One colour.
    #[default]
    Plain,
    /// The grain of wood, along World's y axis.
    Wood,
}

impl Look {
    /// One colour with a faint highlight.
    pub fn plain(rgb: [f32; 3]) -> Self {
        Self {
            rgb,
            finish: Finish::Plain,
            gloss: 0.15,
        }
    }
}

impl Stage {
    /// Adds what has a name and gives its instance.
    pub fn instance(&mut self, name: impl Into<String>) -> u16 {
        self.instances.push(name.into());
        self.instances.len().min(usize::from(u16::MAX)) as u16
    }

    /// The name of an instance; `None` for the floor and the background.
    pub fn name_of(&self, instance: u16) -> Option<&str> {
        let idx = usize::from(instance).checked_sub(1)?;
        self.instances.get(idx).map(String::as_str)
    }
}
