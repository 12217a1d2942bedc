//! MuJoCo's legacy binary meshes, `.msh`: four counts, then corners, normals, texture
//! coordinates and faces, all of them little endian and four bytes wide.

use super::Surface;
use crate::mesh::MAX_TRIANGLES;

/// Reads a file; an error is one sentence that says what is where.
pub(crate) fn read(bytes: &[u8]) -> Result<Surface, String> {
    const HEADER: usize = 16;
    let names = ["corners", "normals", "texture coordinates", "faces"];
    let Some((header, body)) = bytes.split_at_checked(HEADER) else {
        return Err(format!(
            "the file is truncated: its header takes {HEADER} bytes, but it has {}",
            bytes.len()
        ));
    };
    let mut counts = [0usize; 4];
    for (i, (count, word)) in counts.iter_mut().zip(header.as_chunks::<4>().0).enumerate() {
        let n = i32::from_le_bytes(*word);
        // Three corners of its own for each face are the most that a file needs.
        *count = usize::try_from(n)
            .ok()
            .filter(|n| *n <= 3 * MAX_TRIANGLES)
            .ok_or_else(|| {
                let most = 3 * MAX_TRIANGLES;
                format!(
                    "the file is malformed: its header says {n} {}, allowed are 0 to {most}",
                    names[i]
                )
            })?;
    }
    let [n_corners, n_normals, n_texcoords, n_faces] = counts;
    if n_faces > MAX_TRIANGLES {
        return Err(format!(
            "it holds {n_faces} triangles, more than {MAX_TRIANGLES}; reduce it in a modelling program"
        ));
    }
    let parts = [3 * n_corners, 3 * n_normals, 2 * n_texcoords, 3 * n_faces];
    let needed = HEADER + 4 * parts.iter().sum::<usize>();
    if bytes.len() != needed {
        let is = if bytes.len() < needed {
            "truncated"
        } else {
            "malformed"
        };
        return Err(format!(
            "the file is {is}: {n_corners} corners, {n_normals} normals, {n_texcoords} texture \
             coordinates and {n_faces} faces take {needed} bytes, but it has {}",
            bytes.len()
        ));
    }
    for (name, n) in [("normals", n_normals), ("texture coordinates", n_texcoords)] {
        if n != 0 && n != n_corners {
            return Err(format!(
                "it has {n_corners} corners and {n} {name}; allowed are as many, or none"
            ));
        }
    }
    let mut words = body.as_chunks::<4>().0;
    let mut take = |n: usize| {
        let (taken, left) = words.split_at(n);
        words = left;
        taken
    };
    let floats = |words: &[[u8; 4]]| -> Vec<f32> {
        words.iter().map(|word| f32::from_le_bytes(*word)).collect()
    };
    let (corners, normals) = (floats(take(parts[0])), floats(take(parts[1])));
    let (texcoords, faces) = (floats(take(parts[2])), take(parts[3]));
    let faces: Vec<u32> = faces.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Ok(Surface {
        positions: corners.as_chunks().0.to_vec(),
        normals: normals.as_chunks().0.to_vec(),
        texcoords: texcoords.as_chunks().0.to_vec(),
        triangles: faces.as_chunks().0.to_vec(),
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
pub(crate) mod tests {
    use super::*;

    /// A triangle as such a file.
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
        let read = read(&triangle()).unwrap();
        assert_eq!(read.positions[1], [1.0, 0.0, 0.0]);
        assert_eq!(read.normals, vec![[0.0, 0.0, 1.0]; 3]);
        assert_eq!(read.texcoords[2], [0.0, 0.0]);
        assert_eq!(read.triangles, vec![[0, 1, 2]]);
    }

    #[test]
    fn broken_files_are_refused_with_what_is_wrong() {
        let whole = triangle();
        for n in 0..whole.len() {
            let said = read(&whole[..n]).unwrap_err();
            assert!(said.contains("truncated"), "{n} bytes: {said}");
        }
        let with = |at: usize, n: i32| {
            let mut bytes = whole.clone();
            bytes[at..at + 4].copy_from_slice(&n.to_le_bytes());
            read(&bytes).unwrap_err()
        };
        assert!(with(0, -1).contains("-1 corners"));
        assert!(with(12, i32::MAX).contains("2147483647 faces"));
        assert!(with(12, 2).contains("truncated"));
        let longer = [&whole[..], &[0; 4]].concat();
        assert!(read(&longer).unwrap_err().contains("malformed"));
    }
}
