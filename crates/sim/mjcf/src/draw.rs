//! Visuals of geoms, and their image mappings.

use std::sync::Arc;

use regrasp_api::Pose;
use regrasp_mesh::{Mapping, Surface, ellipsoid, plane, primitive};
use regrasp_scene::Visual;

use crate::ledger::{Fate, Ledger};
use crate::model::{Body, Geom, GeomForm, Material, TextureAsset};

/// Opacity below which a geom is not drawn: the renderer has no transparency.
const LEAST_OPACITY: f32 = 0.3;
/// Half size at which an infinite plane is drawn, m.
pub(crate) const PLANE_M: f64 = 10.0;

/// Source of a visual.
#[derive(Clone, Debug)]
pub struct VisualSource {
    /// Form of the geom, or its mesh.
    pub form: GeomForm,
    /// Image on the visual, with its mapping.
    pub texture: Option<(Mapping, Arc<TextureAsset>)>,
}

/// Groups that MuJoCo's own programs draw by default.
const SHOWN: std::ops::RangeInclusive<i64> = 0..=2;

pub(crate) struct Painter {
    /// Groups that are drawn: those of [`SHOWN`] with display-only geoms, since a model with such
    /// geoms has its collision geoms in other groups. Without display-only geoms, all of [`SHOWN`].
    groups: Vec<i64>,
}

impl Painter {
    pub(crate) fn new(world: &Body) -> Self {
        let geoms = world.all().flat_map(|body| &body.geoms);
        let only_drawn = geoms.filter(|geom| !geom.is_solid() && SHOWN.contains(&geom.group));
        Self {
            groups: only_drawn.map(|geom| geom.group).collect(),
        }
    }

    fn is_drawn(&self, geom: &Geom) -> bool {
        let is_shown = match self.groups.is_empty() {
            true => SHOWN.contains(&geom.group),
            false => self.groups.contains(&geom.group),
        };
        (is_shown || is_ground(geom)) && geom.rgba[3] > 0.0
    }

    pub(crate) fn visual(
        &self,
        geom: &Geom,
        frame_from_geom: &Pose,
        ledger: &mut Ledger,
    ) -> Option<(Visual, VisualSource)> {
        if !self.is_drawn(geom) {
            return None;
        }
        if geom.rgba[3] < LEAST_OPACITY {
            let why = "rendered images have no transparency: a geom this transparent is not drawn";
            ledger.note(Fate::Unsupported, "transparent geom", why, &geom.place);
            return None;
        }
        let image = geom.material.as_deref().and_then(|material| {
            let texture = material.texture.as_ref()?;
            let mapping = mapping(geom, material, texture.is_cube);
            Some((mapping, Arc::clone(texture)))
        });
        let surface = match (&geom.form, &image) {
            (GeomForm::Mesh(mesh), None | Some((Mapping::Coordinates, _))) => {
                Arc::clone(&mesh.surface)
            }
            (_, image) => {
                let plain = plain(&geom.form);
                Arc::new(match image {
                    Some((mapping, _)) => plain.mapped(*mapping),
                    None => plain,
                })
            }
        };
        let visual = Visual {
            frame_from_visual: *frame_from_geom,
            surface,
            rgba: geom.rgba,
            texture: image
                .as_ref()
                .map(|(_, texture)| Arc::clone(&texture.image)),
            gloss: 0.3 * geom.material.as_ref().map_or(0.5, |m| m.specular) as f32,
        };
        let source = VisualSource {
            form: geom.form.clone(),
            texture: image,
        };
        Some((visual, source))
    }
}

/// Returns true for a plane. Planes are drawn whatever their group, since one plane usually serves
/// both as the visible floor and as its collision shape.
fn is_ground(geom: &Geom) -> bool {
    matches!(geom.form, GeomForm::Plane { .. })
}

fn plain(form_of: &GeomForm) -> Surface {
    match form_of {
        GeomForm::Mesh(mesh) => Surface::clone(&mesh.surface),
        GeomForm::Plane { half } => plane(half.map(|h| if h > 0.0 { h } else { PLANE_M })),
        GeomForm::Ellipsoid { radii } => ellipsoid(*radii),
        GeomForm::Solid(shape) => primitive(shape).unwrap_or_default(),
    }
}

/// Returns the mapping that MuJoCo uses: for a mesh with texture coordinates, these, whatever the
/// repetition of the material; else a projection from above, with N repetitions per 2 m or per
/// object; for a cube texture, a projection from the centre outwards.
pub(crate) fn mapping(geom: &Geom, material: &Material, is_cube: bool) -> Mapping {
    match &geom.form {
        GeomForm::Mesh(mesh) if !mesh.surface.texcoords.is_empty() => Mapping::Coordinates,
        form if is_cube => Mapping::Cube {
            stretched: !material.uniform && !matches!(form, GeomForm::Mesh(_)),
        },
        _ => Mapping::Planar {
            repeat: match material.uniform {
                true => material.repeat.map(|n| 0.5 * n),
                false => material.repeat,
            },
            per_metre: material.uniform,
        },
    }
}
