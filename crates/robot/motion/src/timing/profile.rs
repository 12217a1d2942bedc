//! Motion of the path parameter over time.

use super::stations::Stations;

/// A motion of the path parameter from 0 to the length of the path.
pub(super) trait Profile {
    fn duration_secs(&self) -> f64;

    /// Path parameter, and its first and second derivative with respect to time.
    fn state(&self, time_secs: f64) -> [f64; 3];

    /// Times at which the third derivative changes.
    fn jerk_changes(&self) -> Vec<f64>;
}

/// A motion with steps in its acceleration, smoothed by a moving average.
///
/// Between two stations the acceleration is constant, since the squared speed is linear in the path
/// parameter. Averaging over a time window turns each step of the acceleration into a ramp, whose
/// jerk is step / window, and lengthens the motion by the window.
pub(super) struct Averaged {
    window_secs: f64,
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Default)]
struct Piece {
    start_secs: f64,
    /// Integral over time of the path parameter, up to the start.
    integral: f64,
    position: f64,
    speed: f64,
    acceleration: f64,
}

impl Piece {
    /// Integral of the position, position, speed and acceleration after `t` seconds.
    fn at(&self, t: f64) -> [f64; 4] {
        let Self {
            integral,
            position,
            speed,
            acceleration,
            ..
        } = *self;
        [
            integral + t * (position + t * (speed / 2.0 + t * acceleration / 6.0)),
            position + t * (speed + t * acceleration / 2.0),
            speed + t * acceleration,
            acceleration,
        ]
    }
}

impl Averaged {
    /// Builds the motion from squared speeds at the stations, zero at both ends and positive
    /// between.
    pub(super) fn new(stations: &Stations, squared_speeds: &[f64], window_secs: f64) -> Self {
        let mut pieces = Vec::with_capacity(squared_speeds.len());
        let mut next = Piece::default();
        for (s, squared) in stations.s.windows(2).zip(squared_speeds.windows(2)) {
            let (from, to) = (squared[0].sqrt(), squared[1].sqrt());
            let secs = 2.0 * (s[1] - s[0]) / (from + to);
            let piece = Piece {
                position: s[0],
                speed: from,
                acceleration: (to - from) / secs,
                ..next
            };
            next.integral = piece.at(secs)[0];
            next.start_secs += secs;
            pieces.push(piece);
        }
        pieces.push(Piece {
            position: stations.length(),
            speed: 0.0,
            acceleration: 0.0,
            ..next
        });
        Self {
            window_secs,
            pieces,
        }
    }

    /// The motion before smoothing, at rest before its start and after its end.
    fn unsmoothed(&self, time_secs: f64) -> [f64; 4] {
        if time_secs <= 0.0 {
            return [0.0; 4];
        }
        let after = self.pieces.partition_point(|p| p.start_secs <= time_secs);
        let piece = &self.pieces[after.max(1) - 1];
        piece.at(time_secs - piece.start_secs)
    }
}

impl Profile for Averaged {
    fn duration_secs(&self) -> f64 {
        self.pieces[self.pieces.len() - 1].start_secs + self.window_secs
    }

    fn state(&self, time_secs: f64) -> [f64; 3] {
        let (now, before) = (
            self.unsmoothed(time_secs),
            self.unsmoothed(time_secs - self.window_secs),
        );
        std::array::from_fn(|i| (now[i] - before[i]) / self.window_secs)
    }

    fn jerk_changes(&self) -> Vec<f64> {
        let starts = self.pieces.iter().map(|piece| piece.start_secs);
        starts.flat_map(|t| [t, t + self.window_secs]).collect()
    }
}
