//! Mutations of valid samples.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::Target;

const MOST_BYTES: usize = 1 << 20;

/// Pieces that are difficult for every parser, separated by `|`.
const PIECES: &[u8] = b"{|}|[|]|\"|\\|:|,|\n|null|true|-1|0|1e999|1e-320|NaN|-0.0|\
    18446744073709551616|\\u0000|\\ud800|\0|\xff|\xef\xbb\xbf|data: |[DONE]|(|)| and |<|&";

pub(crate) struct Mutator<'a> {
    target: &'a Target,
    pieces: Vec<&'a [u8]>,
}

impl<'a> Mutator<'a> {
    pub(crate) fn new(target: &'a Target) -> Self {
        let pieces = [PIECES, target.pieces.as_bytes()].into_iter();
        let pieces = pieces.flat_map(|list| list.split(|byte| *byte == b'|'));
        let pieces = pieces.collect();
        Self { target, pieces }
    }

    pub(crate) fn input(&self, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let samples = &self.target.samples;
        let mut input = samples[rng.random_range(0..samples.len())].clone();
        for _ in 0..rng.random_range(0..6) {
            self.change(&mut input, rng);
        }
        input.truncate(MOST_BYTES);
        input
    }

    fn change(&self, input: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
        let n = input.len();
        let at = rng.random_range(0..=n);
        let to = (at + rng.random_range(0..24)).min(n);
        match rng.random_range(0..100) {
            0..20 => drop(input.drain(at..to)),
            20..50 => drop(input.splice(at..to, self.piece(rng).iter().copied())),
            50..65 => drop(input.splice(at..at, self.piece(rng).iter().copied())),
            65..75 => {
                for byte in &mut input[at..to] {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
            75..85 => {
                let again = input[at..to].to_vec();
                drop(input.splice(at..at, again));
            }
            85..92 => {
                let other = &self.target.samples[rng.random_range(0..self.target.samples.len())];
                let from = rng.random_range(0..=other.len());
                drop(input.splice(at..n, other[from..].iter().copied()));
            }
            92..97 => input.truncate(at),
            // Repeats a piece many times, for deeply nested or long input.
            _ => {
                let piece = self.piece(rng).to_vec();
                let most = if rng.random_range(0..20) == 0 {
                    200_000
                } else {
                    500
                };
                let times = rng.random_range(1..=most / piece.len().max(1)).max(1);
                drop(input.splice(at..at, piece.repeat(times)));
            }
        }
    }

    fn piece(&self, rng: &mut ChaCha8Rng) -> &'a [u8] {
        self.pieces[rng.random_range(0..self.pieces.len())]
    }
}
