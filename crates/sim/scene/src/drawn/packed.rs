//! Serialises surfaces and images of a scene compactly, as base64.
//!
//! A recording contains its scene, so that it can be drawn where the files are missing.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regrasp_mesh::Surface;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Texture;

/// A [`Surface`] as four texts.
#[derive(Serialize, Deserialize)]
struct Packed {
    positions: String,
    normals: String,
    texcoords: String,
    triangles: String,
}

pub(super) fn serialize<S: Serializer>(
    surface: &Arc<Surface>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let packed = Packed {
        positions: floats(surface.positions.as_flattened()),
        normals: floats(surface.normals.as_flattened()),
        texcoords: floats(surface.texcoords.as_flattened()),
        triangles: text(surface.triangles.as_flattened().iter().copied()),
    };
    packed.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<Surface>, D::Error> {
    let packed = Packed::deserialize(deserializer)?;
    let surface = Surface {
        positions: lists(&packed.positions, f32::from_bits)?,
        normals: lists(&packed.normals, f32::from_bits)?,
        texcoords: lists(&packed.texcoords, f32::from_bits)?,
        triangles: lists(&packed.triangles, |index| index)?,
    };
    match surface.flaw() {
        None => Ok(Arc::new(surface)),
        Some(flaw) => Err(D::Error::custom(flaw)),
    }
}

fn text(words: impl Iterator<Item = u32>) -> String {
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    STANDARD.encode(bytes)
}

fn floats(list: &[f32]) -> String {
    text(list.iter().map(|x| x.to_bits()))
}

fn lists<T: Copy, const N: usize, E: serde::de::Error>(
    text: &str,
    of: fn(u32) -> T,
) -> Result<Vec<[T; N]>, E> {
    let bytes = STANDARD.decode(text).map_err(E::custom)?;
    let words = bytes.as_chunks::<4>().0.iter();
    let list: Vec<T> = words.map(|word| of(u32::from_le_bytes(*word))).collect();
    Ok(list.as_chunks().0.to_vec())
}

impl Serialize for Texture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        STANDARD.encode(self.png()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Texture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let png = STANDARD.decode(String::deserialize(deserializer)?);
        Self::from_png(png.map_err(D::Error::custom)?).map_err(D::Error::custom)
    }
}
