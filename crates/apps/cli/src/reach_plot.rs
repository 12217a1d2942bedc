//! The map of `regrasp reach` as a picture.
//!
//! `plotters` draws it with an embedded font (Ubuntu Light from `epaint_default_fonts`), and so
//! needs no system libraries.

use std::path::Path;
use std::{fs, io};

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;
use regrasp::render::png_bytes;

use crate::reach_map::{Point, SPACING_M};

const FONT: &str = "sans-serif";
const WIDTH: u32 = 1080;
const HEIGHT: u32 = 960;
/// Left edge of the legend, pixels.
const LEGEND_FROM: i32 = 930;
/// Number of colours in the legend.
const SHADES: u32 = 100;
const OUT_OF_REACH: RGBColor = RGBColor(232, 232, 232);

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

pub(super) fn write(map: &[Point], title: &str, out: &Path) -> io::Result<()> {
    let mut pixels = vec![0; 3 * WIDTH as usize * HEIGHT as usize];
    draw(map, title, &mut pixels).map_err(io::Error::other)?;
    let png = png_bytes(WIDTH, HEIGHT, &pixels).map_err(io::Error::other)?;
    fs::write(out, png)
}

fn draw(map: &[Point], title: &str, pixels: &mut [u8]) -> Result<(), String> {
    register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the font cannot be read".to_owned())?;
    let whole = BitMapBackend::with_buffer(pixels, (WIDTH, HEIGHT)).into_drawing_area();
    let message = |error: DrawingAreaErrorKind<_>| error.to_string();
    whole.fill(&WHITE).map_err(message)?;
    let (left, right) = whole.split_horizontally(LEGEND_FROM);
    let best = map.iter().map(|p| p.manipulability);
    let best = best.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    plane(map, title, best, &left).map_err(message)?;
    legend(best, &right).map_err(message)?;
    whole.present().map_err(message)
}

/// Draws the plane from above: x to the right, y up.
fn plane<'a>(
    map: &[Point],
    title: &str,
    best: f64,
    area: &Area<'a>,
) -> Result<(), DrawingAreaErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>> {
    let half = map.iter().map(|p| p.x).fold(0.0, f64::max) + SPACING_M;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(title, (FONT, 24))
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(-half..half, -half..half)?;
    let cell = |p: &Point| {
        let (low, high) = (-0.5 * SPACING_M, 0.5 * SPACING_M);
        let style = match p.is_reachable() {
            true => shade(p.manipulability / best).filled(),
            false => OUT_OF_REACH.filled(),
        };
        Rectangle::new([(p.x + low, p.y + low), (p.x + high, p.y + high)], style)
    };
    chart.draw_series(map.iter().map(cell))?;
    chart
        .configure_mesh()
        .bold_line_style(BLACK.mix(0.12))
        .light_line_style(TRANSPARENT)
        .x_desc("x, m (forward)")
        .y_desc("y, m (left)")
        .x_label_formatter(&tick)
        .y_label_formatter(&tick)
        .label_style((FONT, 18))
        .axis_desc_style((FONT, 20))
        .draw()?;
    let base = Circle::new((0.0, 0.0), 9, WHITE.filled());
    let rim = Circle::new((0.0, 0.0), 9, BLACK.stroke_width(2));
    chart.plotting_area().draw(&base)?;
    chart.plotting_area().draw(&rim)
}

/// Label of a tick, without the sign of a negative zero.
fn tick(at: &f64) -> String {
    format!("{:.1}", (10.0 * at).round() / 10.0 + 0.0)
}

/// Draws the colour scale and the keys of the other symbols.
fn legend<'a>(
    best: f64,
    area: &Area<'a>,
) -> Result<(), DrawingAreaErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>> {
    let (upper, lower) = area.split_vertically(HEIGHT - 110);
    let mut chart = ChartBuilder::on(&upper)
        .margin_top(60)
        .margin_right(24)
        .y_label_area_size(84)
        .build_cartesian_2d(0.0..1.0, 0.0..best)?;
    let step = best / f64::from(SHADES);
    let band = |i: u32| {
        let low = f64::from(i) * step;
        let colour = shade((low + 0.5 * step) / best);
        Rectangle::new([(0.0, low), (1.0, low + step)], colour.filled())
    };
    chart.draw_series((0..SHADES).map(band))?;
    chart
        .configure_mesh()
        .disable_mesh()
        .disable_x_axis()
        .y_desc("best manipulability of all solutions")
        .y_label_formatter(&|value| format!("{value:.3}"))
        .label_style((FONT, 18))
        .axis_desc_style((FONT, 20))
        .draw()?;
    let style = (FONT, 18).into_font();
    lower.draw(&Rectangle::new([(8, 20), (28, 40)], OUT_OF_REACH.filled()))?;
    lower.draw(&Text::new("out of reach", (34, 22), style.clone()))?;
    lower.draw(&Circle::new((18, 62), 9, BLACK.stroke_width(2)))?;
    lower.draw(&Text::new("robot's base", (34, 54), style))
}

/// Viridis colour of a share from 0 to 1.
fn shade(share: f64) -> RGBColor {
    ViridisRGB.get_color(share as f32)
}
