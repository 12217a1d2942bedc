//! A video has the frames that were pushed. (Requires the feature `encode`.)

#![cfg(feature = "encode")]
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;

use regrasp_video::{VideoError, VideoOptions, VideoWriter};

const SMALL: VideoOptions = VideoOptions {
    width: 96,
    height: 64,
    fps: 25,
    keyframe_every: 10,
    quantization: 24,
};

fn picture(k: usize) -> Vec<u8> {
    let mut rgb = vec![40; SMALL.n_bytes()];
    for y in 20..40 {
        for x in k..k + 20 {
            let at = 3 * (y * 96 + x);
            rgb[at..at + 3].copy_from_slice(&[220, 60, 40]);
        }
    }
    rgb
}

/// Big-endian number `skip` bytes after the name of a box.
fn number_in(bytes: &[u8], name: &[u8; 4], skip: usize) -> u32 {
    let at = bytes.windows(4).position(|w| w == name).unwrap() + 4 + skip;
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn a_video_has_the_frames_that_were_pushed_and_lasts_as_long() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("it.mp4");
    let mut writer = VideoWriter::create(&path, SMALL).unwrap();
    for k in 0..60 {
        writer.push(&picture(k)).unwrap();
    }
    assert!(!path.exists(), "an unfinished video has its final name");
    assert_eq!(writer.finish().unwrap(), 60);
    let bytes = fs::read(&path).unwrap();
    // ISO 14496-12: `stsz` counts samples, `mdhd` has timescale and duration.
    assert_eq!(number_in(&bytes, b"stsz", 8), 60);
    let [timescale, duration] = [12, 16].map(|at| number_in(&bytes, b"mdhd", at));
    assert_eq!(f64::from(duration) / f64::from(timescale), 60.0 / 25.0);
    // Every tenth of the 60 frames is a key frame.
    assert_eq!(number_in(&bytes, b"stss", 4), 6);
    let index = bytes.windows(4).position(|w| w == b"moov").unwrap();
    let data = bytes.windows(4).position(|w| w == b"mdat").unwrap();
    assert!(index < data, "the index is not at the front of the file");
}

#[test]
fn a_video_that_is_given_up_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("it.mp4");
    let mut writer = VideoWriter::create(&path, SMALL).unwrap();
    writer.push(&picture(0)).unwrap();
    let small = writer.push(&[0; 12]).unwrap_err().to_string();
    assert!(small.contains("has 12 bytes, expected 18432"), "{small}");
    drop(writer);
    let empty = VideoWriter::create(&path, SMALL).unwrap().finish();
    assert!(matches!(empty, Err(VideoError::Empty(_))));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let nowhere = dir.path().join("no/it.mp4");
    let refused = VideoWriter::create(&nowhere, SMALL).err();
    let said = refused.unwrap().to_string();
    assert!(said.starts_with("write the video `"), "{said}");
}
