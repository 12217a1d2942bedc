//! Mutations of valid samples.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::Target;

const MOST_BYTES: usize = 1 << 20;

/// Pieces that are difficult for every parser.
const PIECES: [&[u8]; 30] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b":",
    b",",
    b"\n",
    b"null",
    b"true",
    b"-1",
    b"0",
    b"1e999",
    b"1e-320",
    b"NaN",
    b"-0.0",
    b"18446744073709551616",
    b"\\u0000",
    b"\\ud800",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"data: ",
    b"[DONE]",
    b"(",
    b")",
    b" and ",
    b"<",
    b"&",
];

pub(crate) struct Mutator<'a> {
    target: &'a Target,
    pieces: Vec<&'a [u8]>,
}

impl<'a> Mutator<'a> {
    pub(crate) fn new(target: &'a Target) -> Self {
        let own = target.pieces.split('|').map(str::as_bytes);
        let pieces = PIECES.into_iter().chain(own).collect();
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
            // Deeply nested or long input.
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
