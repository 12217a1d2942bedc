//! Cameras whose depth is noisy.

use tempfile::TempDir;

use crate::argv;
use crate::check;

/// As good as a stereo camera's: 1 mm at 1 m.
const NOISE: &str = "--depth-noise=0.001";

#[test]
fn a_run_from_noisy_pixels_still_picks_up_a_cube() {
    let dir = TempDir::new().unwrap();
    let args = format!("run --task pick_cube_scrambled --seed 3 --perception rgbd {NOISE}");
    let args = argv(&args);
    check(dir.path(), &args, 0, &["GOAL: holds"]);
}

#[test]
fn noise_of_the_depth_moves_what_is_perceived() {
    let dir = TempDir::new().unwrap();
    let look = |more: &[&str]| {
        let args = argv("perceive --tasks pick_cube_scrambled --seeds 1 --json");
        check(dir.path(), &[&args[..], more].concat(), 0, &[])
    };
    let exact = look(&[]);
    assert_eq!(exact, look(&["--depth-noise=0"]), "no noise is none");
    assert_ne!(exact, look(&[NOISE]), "the noise changed nothing");
}

#[test]
fn noise_that_makes_no_sense_is_refused() {
    let dir = TempDir::new().unwrap();
    for wrong in [
        "--depth-noise=-0.001",
        "--depth-noise=much",
        "--depth-noise=NaN",
    ] {
        let args = ["run", "--task", "pick_cube", "--perception", "rgbd", wrong];
        let words = ["--depth-noise", "a number that is 0 or greater"];
        check(dir.path(), &args, 2, &words);
    }
    let args = ["run", "--task", "pick_cube", NOISE];
    check(
        dir.path(),
        &args,
        2,
        &["--depth-noise", "looks through cameras"],
    );
}
