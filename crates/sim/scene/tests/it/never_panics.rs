//! Reading a file always returns, whatever it contains, and never panics.

use crate::common::{ALONE, write};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use regrasp_scene::{builtin_robot, load_robot, load_scene, load_task};

const KINDS: &str = include_str!("../data/kinds.yaml");

const FILES: [&str; 7] = [
    KINDS,
    regrasp_assets::text("tasks/pick_cube.yaml"),
    regrasp_assets::text("tasks/pick_cube_scrambled.yaml"),
    regrasp_assets::text("tasks/stack_two.yaml"),
    regrasp_assets::text("tasks/maniskill/stack_cube.yaml"),
    regrasp_assets::text("scenes/covered.yaml"),
    regrasp_assets::text("robots/panda/panda.yaml"),
];

fn read_all(text: &str) {
    let robot = builtin_robot().unwrap();
    let (_folder, path) = write("f.yaml", text, ALONE);
    if let Ok(task) = load_task(&path, &robot) {
        let _ = task.instantiate(1);
    }
    let _ = load_scene(&path, &robot);
    let _ = load_robot(&path);
}

/// One change: position (in thousandths of the text), number of characters to cut, text to insert.
///
/// The inserted texts are words of the format, or numbers that are hard on geometry code.
fn edit() -> impl Strategy<Value = (usize, usize, String)> {
    let pieces = include_str!("../data/pieces.json");
    let pieces: Vec<String> = serde_json::from_str(pieces).unwrap();
    (0..1000usize, 0..12usize, prop::sample::select(pieces))
}

fn apply(text: &str, edits: &[(usize, usize, String)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for (at, cut, piece) in edits {
        let from = at * chars.len() / 1000;
        let to = (from + cut).min(chars.len());
        chars.splice(from..to, piece.chars());
    }
    chars.into_iter().collect()
}

/// Checks that the file itself is valid; otherwise the other tests would pass trivially.
#[test]
fn the_file_with_every_kind_is_a_good_one() {
    crate::common::task(KINDS).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(6), ..ProptestConfig::default() })]

    #[test]
    fn mangled_files_are_answered(file in 0..FILES.len(), edits in prop::collection::vec(edit(), 1..4)) {
        read_all(&apply(FILES[file], &edits));
    }

    #[test]
    fn any_text_is_answered(text in "[ -~\n]{0,200}") {
        read_all(&text);
    }

    /// Replaces one number by another: the file stays valid YAML, but is implausible.
    #[test]
    fn odd_numbers_are_answered(
        file in 0..FILES.len(),
        which in 0..120usize,
        number in prop::sample::select(&["0", "-3", "1e-4", "0.0002", "9.9", "100", "1e9", "7.5e-5", "[1, 2]"][..]),
    ) {
        let text = FILES[file];
        let numbers: Vec<_> = text
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(i, _)| i)
            .filter(|&i| !text[..i].ends_with(|c: char| c.is_ascii_alphanumeric() || "._-".contains(c)))
            .collect();
        let at = numbers[which % numbers.len()];
        let end = at + text[at..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(0);
        read_all(&format!("{}{number}{}", &text[..at], &text[end..]));
    }
}
