//! Runs parsers on mutated samples and measures time and memory. Test binaries of other crates
//! include this file for their own parsers.

#![expect(clippy::print_stdout, reason = "the table is a result")]

#[path = "mutate.rs"]
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use peak_alloc::PeakAlloc;

use mutate::Mutator;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MOST_BYTES: usize = 64 << 20;
/// Time above which a target's slowest input is stored for inspection. The test does not fail.
const SLOW: Duration = Duration::from_millis(500);

/// A parser under test.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) samples: Vec<Vec<u8>>,
    /// Pieces that have a meaning for the parser and are inserted into samples, separated by `|`.
    pub(crate) pieces: &'static str,
    /// Divisor of the number of inputs. It is 1 for the fastest parsers.
    pub(crate) cost: usize,
    /// Returns true if the input was accepted.
    pub(crate) read: Box<Read>,
}

type Read = dyn Fn(&[u8]) -> bool;

pub(crate) fn target(
    name: &'static str,
    samples: &[impl AsRef<[u8]>],
    pieces: &'static str,
    cost: usize,
    read: impl Fn(&[u8]) -> bool + 'static,
) -> Target {
    let samples = samples.iter().map(|s| s.as_ref().to_vec());
    Target {
        name,
        samples: samples.collect(),
        pieces,
        cost,
        read: Box::new(read),
    }
}

#[derive(Default)]
struct Worst {
    bytes: usize,
    took: Duration,
    slowest: Vec<u8>,
    n_read: usize,
}

fn try_one(target: &Target, input: &[u8], worst: &mut Worst) -> Result<(), String> {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let begun = Instant::now();
    let read = catch_unwind(AssertUnwindSafe(|| (target.read)(input)));
    let took = begun.elapsed();
    let bytes = MEMORY.peak_usage().saturating_sub(before);
    let is_read = read.map_err(|_| "the parser panics".to_owned())?;
    worst.n_read += usize::from(is_read);
    worst.bytes = worst.bytes.max(bytes);
    if took > worst.took {
        worst.took = took;
        worst.slowest = input.to_vec();
    }
    if bytes > MOST_BYTES {
        return Err(format!(
            "the parser takes {bytes} bytes, above {MOST_BYTES}"
        ));
    }
    Ok(())
}

fn n_inputs() -> usize {
    let asked = std::env::var("OUTSIDE_INPUTS").ok();
    asked.map_or(500, |n| n.parse().unwrap())
}

/// Stored inputs that once caused a failure. Their file names begin with the target's name and a
/// hyphen.
fn found(target: &str) -> Vec<Vec<u8>> {
    let folder = regrasp_assets::workspace_root().join("tests/outside/found");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let prefix = format!("{target}-");
    let own = files.filter(|file| file.file_name().to_string_lossy().starts_with(&prefix));
    own.map(|file| std::fs::read(file.path()).unwrap())
        .collect()
}

pub(crate) fn try_all(targets: impl IntoIterator<Item = Target>) {
    let only = std::env::var("OUTSIDE_TARGET").unwrap_or_default();
    let seed: u64 = std::env::var("OUTSIDE_SEED").map_or(0, |seed| seed.parse().unwrap());
    std::panic::set_hook(Box::new(|_| {}));
    let mut bad = vec![];
    println!(
        "{:12} {:>9} {:>9} {:>10} {:>9} {:>12}",
        "target", "inputs", "read", "slowest", "most MB", "inputs/s"
    );
    for target in targets {
        if !only.is_empty() && target.name != only {
            continue;
        }
        let mut worst = Worst::default();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mutator = Mutator::new(&target);
        let begun = Instant::now();
        let n = (n_inputs() / target.cost).max(20);
        let kept = found(target.name);
        let inputs = kept.into_iter();
        let inputs = inputs.chain((0..n).map(|_| mutator.input(&mut rng)));
        for (i, input) in inputs.enumerate() {
            if let Err(why) = try_one(&target, &input, &mut worst) {
                let file = std::env::temp_dir().join(format!("{}-{seed}-{i}", target.name));
                std::fs::write(&file, &input).unwrap();
                bad.push(format!("{}: {why}: {}", target.name, file.display()));
                break;
            }
        }
        if worst.took > SLOW {
            let file = std::env::temp_dir().join(format!("{}-{seed}-slowest", target.name));
            std::fs::write(&file, &worst.slowest).unwrap();
            println!("slowest input: {}", file.display());
        }
        println!(
            "{:12} {n:>9} {:>9} {:>8.1}ms {:>9.1} {:>12.0}",
            target.name,
            worst.n_read,
            worst.took.as_secs_f64() * 1e3,
            worst.bytes as f64 / 1e6,
            n as f64 / begun.elapsed().as_secs_f64()
        );
    }
    let _ = std::panic::take_hook();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
