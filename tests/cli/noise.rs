//! The option `--depth-noise`.

use crate::Shell;

/// Depth noise comparable to that of a stereo camera: 1 mm at 1 m.
const NOISE: &str = "--depth-noise=0.001";

#[test]
fn a_run_from_noisy_pixels_still_picks_up_a_cube() {
    let run = format!("run --task pick_cube_scrambled --seed 3 --perception rgbd {NOISE}");
    Shell::new().check(&run, 0, "GOAL: holds");
}

#[test]
fn noise_of_the_depth_moves_what_is_perceived() {
    let shell = Shell::new();
    let look = |more: &str| {
        let look = format!("perceive --tasks pick_cube_scrambled --seeds 1 --json {more}");
        shell.check(&look, 0, "")
    };
    let exact = look("");
    assert_eq!(exact, look("--depth-noise=0"), "percepts with a noise of 0");
    assert_ne!(exact, look(NOISE), "the noise changed nothing");
}

#[test]
fn noise_that_makes_no_sense_is_refused() {
    let shell = Shell::new();
    let cases = "
        --perception rgbd --depth-noise=-0.001 | 2 | --depth-noise; a number that is 0 or greater
        --perception rgbd --depth-noise=much   | 2 | --depth-noise; a number that is 0 or greater
        --perception rgbd --depth-noise=NaN    | 2 | --depth-noise; a number that is 0 or greater
        --depth-noise=0.001                    | 2 | --depth-noise; uses cameras";
    shell.check_all("run --task pick_cube", cases);
}
