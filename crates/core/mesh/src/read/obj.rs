//! Wavefront OBJ.

use std::path::Path;

use super::bytes;
use crate::triangles::{Corner, Mesh, ReadError, Result, malformed};

/// Keyword of each list in a file, and its name in messages.
const LISTS: [(&str, &str); 3] = [
    ("v", "corner"),
    ("vt", "texture coordinate"),
    ("vn", "normal"),
];

/// A face, with the lengths of the lists when it was read: negative indices count from there.
struct Face {
    text: String,
    counts: [usize; 3],
    corners: Vec<[Option<i64>; 3]>,
}

/// Reads an OBJ file. Materials are ignored: a missing material file is not an error.
pub(super) fn read(bytes: &[u8], _: &Path) -> Result<Mesh> {
    let text = bytes::text(bytes).replace("\r\n", "\n");
    let mut lists = [const { Vec::<[f32; 3]>::new() }; 3];
    let mut faces: Vec<Face> = vec![];
    let mut whole = String::new();
    for (n, line) in (1..).zip(text.split(['\n', '\r'])) {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        // A line that ends in `\` goes on in the next line.
        whole += line.strip_suffix('\\').unwrap_or(line);
        if line.ends_with('\\') {
            whole.push(' ');
            continue;
        }
        let line = std::mem::take(&mut whole);
        let mut words = line.split_ascii_whitespace();
        let tag = words.next().unwrap_or_default();
        if let Some(i) = LISTS.iter().position(|(name, _)| *name == tag) {
            lists[i].push(row(i, words).map_err(|why| wrong(n, &line, &why))?);
        } else if ["f", "fo"].contains(&tag) {
            let corners: Option<_> = words.map(named).collect();
            faces.push(Face {
                corners: corners
                    .ok_or_else(|| wrong(n, &line, "a corner index is not a number"))?,
                counts: lists.each_ref().map(Vec::len),
                text: line,
            });
        }
    }
    let mut mesh = Mesh::default();
    for face in &faces {
        let corners = face.corners.iter().map(|own| face.corner(own, &lists));
        let corners = corners.collect::<Result<Vec<_>, _>>()?;
        // A face of two vertices is a line.
        for i in 2..corners.len() {
            mesh.add_flat([corners[0], corners[i - 1], corners[i]])?;
        }
    }
    Ok(mesh)
}

/// Parses the numbers of a line of a list; a missing second texture coordinate is 0.
fn row<'a>(list: usize, words: impl Iterator<Item = &'a str>) -> Result<[f32; 3], String> {
    let number = |word: &str| {
        word.parse::<f32>()
            .map_err(|_| format!("`{word}` is not a number"))
    };
    let numbers = words.map(number).collect::<Result<Vec<_>, _>>()?;
    match (list, numbers.as_slice()) {
        (0, [x, y, z, w]) => Ok([x / w, y / w, z / w]),
        // The colour of a vertex may follow.
        (_, [x, y, z, ..]) => Ok([*x, *y, *z]),
        (1, [u, rest @ ..]) => Ok([*u, rest.first().copied().unwrap_or(0.0), 0.0]),
        _ => Err("it has too few numbers".to_owned()),
    }
}

/// Parses `1`, `1/2`, `1//3` or `1/2/3`.
fn named(word: &str) -> Option<[Option<i64>; 3]> {
    let mut parts = word.split('/');
    let mut corner = [None; 3];
    for own in &mut corner {
        *own = match parts.next() {
            None | Some("") => None,
            Some(number) => Some(number.parse().ok()?),
        };
    }
    corner[0].map(|_| corner)
}

impl Face {
    fn corner(&self, numbers: &[Option<i64>; 3], lists: &[Vec<[f32; 3]>; 3]) -> Result<Corner> {
        let mut found = [None; 3];
        for (i, number) in numbers.iter().enumerate() {
            let Some(number) = *number else { continue };
            let from = if number < 0 {
                self.counts[i] as i64
            } else {
                -1
            };
            let at = usize::try_from(from.saturating_add(number)).ok();
            found[i] = at.and_then(|at| lists[i].get(at));
            // Indices into a list that the file lacks are ignored, except for positions.
            if found[i].is_none() && (i == 0 || !lists[i].is_empty()) {
                let (what, n) = (LISTS[i].1, lists[i].len());
                let face = self.text.trim();
                return Err(malformed(format_args!(
                    "the face `{face}` has the {what} {number}, but there are {n}, counted from 1"
                )));
            }
        }
        let [position, texcoord, normal] = found;
        Ok(Corner {
            position: position.copied().unwrap_or_default().map(f64::from),
            normal: normal.copied(),
            // In OBJ, the second texture coordinate counts upwards from the image's lower edge.
            texcoord: texcoord.map(|[u, v, _]| [*u, 1.0 - v]),
        })
    }
}

fn wrong(n: u32, line: &str, why: &str) -> ReadError {
    malformed(format_args!("line {n}: `{}`: {why}", line.trim()))
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::rows;

    use super::*;

    #[test]
    fn corners_of_obj_are_counted_from_1_or_from_the_last() {
        for (face, is_there) in [
            ("1 2 3", true),
            ("-3 -2/1 -1//1", true),
            ("0 1 2", false),
            ("1 2 4", false),
            ("-4 1 2", false),
        ] {
            let text = format!("v 0 0 0\nv 1 0 0\nv 0 2 0\nf {face}\nl 1 9\n");
            let found = read(text.as_bytes(), Path::new("a.obj"));
            assert_eq!(found.is_ok(), is_there, "{face}: {found:?}");
        }
    }

    #[test]
    fn comments_in_obj_may_follow_what_counts() {
        let text = "# made by hand\no box # one\nv 0 0 0 # corner\nv 1 0 0#b\r\nv 0 2 0\nf 1 2 \\ # on\r\n 3 # face\n";
        let mesh = read(text.as_bytes(), Path::new("a.obj")).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn what_a_shell_writes_in_utf_16_is_read() {
        let text = "v 0 0 0\r\nv 1 0 0\r\nv 0 2 0\r\nf 1 2 3\r\n";
        let little = text.encode_utf16().flat_map(u16::to_le_bytes);
        let big = text.encode_utf16().flat_map(u16::to_be_bytes);
        for bytes in [
            [0xff, 0xfe].into_iter().chain(little).collect::<Vec<u8>>(),
            [0xfe, 0xff].into_iter().chain(big).collect(),
        ] {
            let mesh = read(&bytes, Path::new("a.obj")).unwrap();
            assert_eq!(mesh.triangles, [[0, 1, 2]]);
        }
    }

    /// Rows: a piece of a file of one triangle, its replacement, and the message.
    #[test]
    fn what_other_readers_take_is_read() {
        let text = "v 0 0 0\nv 1 0 0\nv 0 2 0\nvt 0 0\nf 1 2 3\n";
        for [old, new, part] in rows(
            r"
            v 0 0 0 | \u{feff}v 0 0 0     |
            v 0 2 0 | v 0 4 0 2           |
            v 1 0 0 | v 1 0 0 0.5 0.5 0.5 |
            f 1 2 3 | f 1/1/ 2/1 3        |
            f 1 2 3 | fo 1 2 3            |
            v 1 0 0 | v 1,0 0 0           | line 2: `v 1,0 0 0`: `1,0` is not a number
            v 1 0 0 | v 1 0               | too few numbers
            f 1 2 3 | f a b c             | a corner index is not a number
            f 1 2 3 | f 1/2 2/1 3/1       | the texture coordinate 2, but there are 1
        ",
        ) {
            let new = new.replace(r"\u{feff}", "\u{feff}");
            match read(text.replace(&old, &new).as_bytes(), Path::new("")) {
                Ok(mesh) => {
                    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
                    assert_eq!(
                        (mesh.vertices.as_slice(), part.as_str()),
                        (&corners[..], "")
                    );
                }
                Err(error) => assert!(
                    !part.is_empty() && error.to_string().contains(&part),
                    "{error}"
                ),
            }
        }
    }
}
