//! Surfaces and images in a scene that is written down: packed, as base64.
//!
//! A recording holds its scene, so that it can be drawn where the files are not.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// What bytes say, written as text.
fn text(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of a text.
fn bytes<E: serde::de::Error>(text: &str) -> Result<Vec<u8>, E> {
    STANDARD.decode(text).map_err(E::custom)
}

/// A [`Surface`](regrasp_mesh::Surface) as four texts.
pub(super) mod surface {
    use std::sync::Arc;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use regrasp_mesh::Surface;

    #[derive(Serialize, Deserialize)]
    struct Packed {
        positions: String,
        normals: String,
        texcoords: String,
        triangles: String,
    }

    pub(in crate::drawn) fn serialize<S: Serializer>(
        surface: &Arc<Surface>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let floats = |list: &[f32]| {
            let bytes: Vec<u8> = list.iter().flat_map(|x| x.to_le_bytes()).collect();
            super::text(&bytes)
        };
        let triangles = surface.triangles.as_flattened().iter();
        let triangles: Vec<u8> = triangles.flat_map(|i| i.to_le_bytes()).collect();
        let packed = Packed {
            positions: floats(surface.positions.as_flattened()),
            normals: floats(surface.normals.as_flattened()),
            texcoords: floats(surface.texcoords.as_flattened()),
            triangles: super::text(&triangles),
        };
        packed.serialize(serializer)
    }

    pub(in crate::drawn) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<Surface>, D::Error> {
        fn floats<const N: usize, E: serde::de::Error>(text: &str) -> Result<Vec<[f32; N]>, E> {
            let bytes = super::bytes::<E>(text)?;
            let words = bytes.as_chunks::<4>().0.iter();
            let floats: Vec<f32> = words.map(|word| f32::from_le_bytes(*word)).collect();
            Ok(floats.as_chunks().0.to_vec())
        }
        let packed = Packed::deserialize(deserializer)?;
        let triangles = super::bytes::<D::Error>(&packed.triangles)?;
        let words = triangles.as_chunks::<4>().0.iter();
        let indices: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
        let surface = Surface {
            positions: floats::<3, D::Error>(&packed.positions)?,
            normals: floats::<3, D::Error>(&packed.normals)?,
            texcoords: floats::<2, D::Error>(&packed.texcoords)?,
            triangles: indices.as_chunks().0.to_vec(),
        };
        match surface.flaw() {
            None => Ok(Arc::new(surface)),
            Some(flaw) => Err(D::Error::custom(flaw)),
        }
    }
}

/// A [`Texture`](super::Texture) as a PNG.
pub(super) mod texture {
    use std::sync::Arc;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::drawn::Texture;

    pub(in crate::drawn) fn serialize<S: Serializer>(
        texture: &Option<Arc<Texture>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let png = texture.as_ref().map(|texture| super::text(texture.png()));
        png.serialize(serializer)
    }

    pub(in crate::drawn) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<Texture>>, D::Error> {
        let read = |text: String| {
            let texture = Texture::from_png(super::bytes(&text)?);
            texture.map(Arc::new).map_err(D::Error::custom)
        };
        Option::<String>::deserialize(deserializer)?
            .map(read)
            .transpose()
    }
}
