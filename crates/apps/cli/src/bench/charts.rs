//! Bar charts of the reports, as SVG.

use std::collections::BTreeMap;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use regrasp::bench::recovery::{RecoveryReport, Totals};
use regrasp::bench::{Chart, Summary, Timing};

const FONT: &str = "sans-serif";
const WIDTH: u32 = 560;
const ROW: i32 = 24;
/// Left end of all bars and right end of the longest, pixels.
const BARS: [i32; 2] = [210, 460];
/// Maximum number of bars of a chart; the tables of the report have all entries.
const MAX_ROWS: usize = 14;
const MAX_NAME_CHARS: usize = 32;
const INK: RGBColor = RGBColor(28, 36, 48);
const RED: RGBColor = RGBColor(179, 54, 43);
const BLUE: RGBColor = RGBColor(76, 120, 168);
const PALE: RGBColor = RGBColor(190, 208, 230);

struct Bar {
    name: String,
    value: f64,
    /// Value of a second, longer bar behind the first.
    beyond: Option<f64>,
    shown: String,
}

pub(super) fn charts(summary: &Summary, timing: &Timing) -> Vec<Chart> {
    let of_walls = "Real time of an episode: median (pale: 95th percentile)";
    let of_phases = "Real time of planner and skills, all tasks";
    let charts = [
        ("Failures by reason", RED, counts(summary.reasons())),
        ("Failures by phase", RED, counts(summary.failed_in())),
        (of_walls, BLUE, walls(timing)),
        (of_phases, BLUE, phases(timing)),
    ];
    drawn(&charts)
}

/// Draws the charts that have bars. Failures are ignored, because the report's tables show the same
/// data.
fn drawn(charts: &[(&str, RGBColor, Vec<Bar>)]) -> Vec<Chart> {
    let there = charts.iter().filter(|(_, _, bars)| !bars.is_empty());
    let chart = |(title, color, bars): &(&str, RGBColor, Vec<Bar>)| {
        let (title, svg) = ((*title).to_owned(), draw(bars, *color).ok()?);
        Some(Chart { title, svg })
    };
    there.filter_map(chart).collect()
}

/// Charts of the fraction of episodes that ended correctly, one bar per strategy.
pub(super) fn recovery_charts(report: &RecoveryReport) -> Vec<Chart> {
    let bars = |totals: &[Totals]| -> Vec<Bar> {
        let ran = totals.iter().filter(|t| t.episodes > 0);
        let bar = |t: &Totals| Bar {
            name: t.strategy.clone(),
            value: t.right_ends as f64 / t.episodes as f64,
            beyond: Some(1.0),
            shown: format!("{}/{}", t.right_ends, t.episodes),
        };
        ran.map(bar).collect()
    };
    let (can, cannot) = (bars(&report.recoverable), bars(&report.unrecoverable));
    drawn(&[
        ("Recovered, of faults that can be recovered from", BLUE, can),
        (
            "Ended correctly, of faults that cannot be recovered from",
            BLUE,
            cannot,
        ),
    ])
}

fn counts(counts: BTreeMap<&str, usize>) -> Vec<Bar> {
    let bar = |(name, n): (&str, usize)| Bar {
        name: name.to_owned(),
        value: n as f64,
        beyond: None,
        shown: n.to_string(),
    };
    longest(counts.into_iter().map(bar).collect())
}

fn walls(timing: &Timing) -> Vec<Bar> {
    let bars = timing.tasks.iter().filter_map(|task| {
        let (median, p95) = (task.median_wall_s?, task.p95_wall_s?);
        Some(Bar {
            name: task.task.clone(),
            value: median,
            beyond: Some(p95),
            shown: format!("{median:.2} / {p95:.2} s"),
        })
    });
    longest(bars.collect())
}

fn phases(timing: &Timing) -> Vec<Bar> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, phase) in timing.tasks.iter().flat_map(|task| &task.phases) {
        *sums.entry(name).or_default() += phase.wall_s;
    }
    let all: f64 = sums.values().sum();
    let bar = |(name, wall_s): (&str, f64)| Bar {
        name: name.to_owned(),
        value: wall_s,
        beyond: None,
        shown: format!("{:.1} %", 100.0 * wall_s / all.max(f64::MIN_POSITIVE)),
    };
    longest(sums.into_iter().map(bar).collect())
}

fn longest(mut bars: Vec<Bar>) -> Vec<Bar> {
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    bars.truncate(MAX_ROWS);
    bars
}

fn draw(bars: &[Bar], color: RGBColor) -> Result<String, String> {
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the font cannot be read".to_owned())?;
    let height = (ROW * bars.len() as i32 + 8) as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        rows(bars, color, &area).map_err(|error| error.to_string())?;
        area.present().map_err(|error| error.to_string())?;
    }
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn rows<'a>(
    bars: &[Bar],
    color: RGBColor,
    area: &Area<'a>,
) -> Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>> {
    let [left, right] = BARS;
    let most = bars.iter().map(|bar| bar.beyond.unwrap_or(bar.value));
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    let end = |value: f64| left + (f64::from(right - left) * value / most).round() as i32;
    let font = TextStyle::from((FONT, 14).into_font()).color(&INK);
    let at = |h| font.pos(Pos::new(h, VPos::Center));
    for (row, bar) in (0..).zip(bars) {
        let (top, bottom) = (ROW * row + 6, ROW * (row + 1));
        let middle = (top + bottom) / 2;
        let name: String = bar.name.chars().take(MAX_NAME_CHARS).collect();
        area.draw(&Text::new(name, (left - 8, middle), at(HPos::Right)))?;
        if let Some(beyond) = bar.beyond {
            let corners = [(left, top), (end(beyond), bottom)];
            area.draw(&Rectangle::new(corners, PALE.filled()))?;
        }
        let corners = [(left, top), (end(bar.value), bottom)];
        area.draw(&Rectangle::new(corners, color.filled()))?;
        let after = end(bar.beyond.unwrap_or(bar.value)) + 6;
        area.draw(&Text::new(
            bar.shown.as_str(),
            (after, middle),
            at(HPos::Left),
        ))?;
    }
    Ok(())
}
