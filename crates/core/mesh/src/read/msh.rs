//! MuJoCo's legacy binary meshes, `.msh`: four counts, then vertices, normals, texture coordinates
//! and faces, all of them little endian and four bytes wide.

use std::path::Path;

use super::bytes;
use crate::triangles::{MAX_TRIANGLES, Mesh, Result, malformed};

const HEADER: usize = 16;

/// Reads an MSH file.
pub(super) fn read(bytes: &[u8], _: &Path) -> Result<Mesh> {
    let (header, body) = bytes::header(bytes, HEADER)?;
    let counts = counts(header)?;
    check(counts, bytes.len())?;
    let [n_corners, n_normals, n_texcoords, n_faces] = counts;
    let mut words = body.as_chunks::<4>().0;
    let mut take = |n: usize| {
        let (taken, left) = words.split_at(n);
        words = left;
        taken
    };
    let floats = |words: &[[u8; 4]]| -> Vec<f32> {
        words.iter().map(|word| f32::from_le_bytes(*word)).collect()
    };
    let (corners, normals) = (floats(take(3 * n_corners)), floats(take(3 * n_normals)));
    let (texcoords, faces) = (floats(take(2 * n_texcoords)), take(3 * n_faces));
    let faces: Vec<u32> = faces.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut mesh = Mesh {
        normals: normals.as_chunks().0.to_vec(),
        texcoords: texcoords.as_chunks().0.to_vec(),
        ..Mesh::default()
    };
    let corners = corners.as_chunks().0.iter();
    let corners = corners.map(|p: &[f32; 3]| p.map(f64::from));
    mesh.add(corners, faces.as_chunks().0.iter().copied())?;
    Ok(mesh)
}

fn counts(header: &[u8]) -> Result<[usize; 4]> {
    let names = ["corners", "normals", "texture coordinates", "faces"];
    let mut counts = [0usize; 4];
    // No file needs more than three vertices for each face.
    let most = 3 * MAX_TRIANGLES;
    let words = header.as_chunks::<4>().0.iter().zip(names);
    for (count, (word, name)) in counts.iter_mut().zip(words) {
        let n = i32::from_le_bytes(*word);
        let found = usize::try_from(n).ok().filter(|n| *n <= most);
        *count = found.ok_or_else(|| {
            let why = format_args!("its header says {n} {name}; 0 to {most} are allowed");
            malformed(why)
        })?;
    }
    Ok(counts)
}

/// Checks that the counts of a header agree with each other and with the file's size.
fn check(counts: [usize; 4], n_bytes: usize) -> Result<(), String> {
    let [n_corners, n_normals, n_texcoords, n_faces] = counts;
    if n_faces > MAX_TRIANGLES {
        return Err(format!(
            "it holds {n_faces} triangles, more than {MAX_TRIANGLES}; reduce it in a modelling program"
        ));
    }
    let parts = [3 * n_corners, 3 * n_normals, 2 * n_texcoords, 3 * n_faces];
    let needed = HEADER + 4 * parts.iter().sum::<usize>();
    if n_bytes != needed {
        let is = if n_bytes < needed {
            "truncated"
        } else {
            "malformed"
        };
        return Err(format!(
            "the file is {is}: {n_corners} corners, {n_normals} normals, {n_texcoords} texture \
             coordinates and {n_faces} faces take {needed} bytes, but it has {n_bytes}"
        ));
    }
    for (name, n) in [("normals", n_normals), ("texture coordinates", n_texcoords)] {
        if n != 0 && n != n_corners {
            return Err(format!(
                "it has {n_corners} corners but {n} {name}; give one per corner, or none"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn triangle() -> Vec<u8> {
        let counts = [3, 3, 3, 1];
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0f32];
        let normals = [0.0, 0.0, 1.0f32].repeat(3);
        let texcoords = [0.0, 1.0, 1.0, 1.0, 0.0, 0.0f32];
        let mut bytes: Vec<u8> = counts.iter().flat_map(|n: &i32| n.to_le_bytes()).collect();
        let floats = corners.iter().chain(&normals).chain(&texcoords);
        bytes.extend(floats.flat_map(|x| x.to_le_bytes()));
        bytes.extend([0, 1, 2i32].iter().flat_map(|n| n.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_triangle_is_read_as_it_was_written() {
        let read = read(&triangle(), Path::new("")).unwrap();
        assert_eq!(read.vertices[1], [1.0, 0.0, 0.0]);
        assert_eq!(read.normals, vec![[0.0, 0.0, 1.0]; 3]);
        assert_eq!(read.texcoords[2], [0.0, 0.0]);
        assert_eq!(read.triangles, vec![[0, 1, 2]]);
    }

    fn refusal(bytes: &[u8]) -> String {
        read(bytes, Path::new("")).unwrap_err().to_string()
    }

    #[test]
    fn broken_files_are_refused_with_what_is_wrong() {
        let whole = triangle();
        for n in 0..whole.len() {
            let message = refusal(&whole[..n]);
            assert!(message.contains("truncated"), "{n} bytes: {message}");
        }
        let with = |at: usize, n: i32| {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&n.to_le_bytes());
            refusal(&bytes)
        };
        assert!(with(0, -1).contains("-1 corners"));
        assert!(with(12, i32::MAX).contains("2147483647 faces"));
        assert!(with(12, 2).contains("truncated"));
        let longer = [&whole[..], &[0; 4]].concat();
        assert!(refusal(&longer).contains("malformed"));
    }
}
