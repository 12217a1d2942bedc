//! Input of a renderer.

use std::sync::Arc;

use regrasp_api::Pose;

use crate::mesh::Mesh;

/// The bodies of a world at one instant.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Names of the instances; instance `i + 1` is `instances[i]`.
    pub instances: Vec<String>,
    /// Visible bodies.
    pub bodies: Vec<Body>,
    /// Height of an infinite floor, m; `None` for no floor.
    pub floor_z: Option<f64>,
}

/// A mesh with its pose and look.
#[derive(Clone, Debug)]
pub struct Body {
    /// Instance of the body: an index into [`Stage::instances`] plus one.
    pub instance: u16,
    /// Surface.
    pub mesh: Arc<Mesh>,
    /// Look of the surface.
    pub look: Look,
    /// Pose in World.
    pub world_from_body: Pose,
}

/// Look of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Red, green, blue, 0 to 1, as screen values (sRGB).
    pub rgb: [f32; 3],
    /// Pattern on the surface.
    pub finish: Finish,
    /// Brightness of the highlight, 0 to 1.
    pub gloss: f32,
}

/// Pattern on a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// One colour.
    #[default]
    Plain,
    /// Wood grain along World's y axis.
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
    /// Adds a name and returns its instance.
    pub fn instance(&mut self, name: impl Into<String>) -> u16 {
        self.instances.push(name.into());
        self.instances.len().min(usize::from(u16::MAX)) as u16
    }

    /// Name of an instance; `None` for the floor and the background.
    pub fn name_of(&self, instance: u16) -> Option<&str> {
        let idx = usize::from(instance).checked_sub(1)?;
        self.instances.get(idx).map(String::as_str)
    }
}
