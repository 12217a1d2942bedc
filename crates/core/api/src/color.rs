//! Everyday names of colours.

/// Returns the everyday name of a colour: red, green, blue in 0..1.
pub fn color_name(rgb: [f32; 3]) -> &'static str {
    let value = rgb.iter().copied().fold(0.0, f32::max);
    let least = rgb.iter().copied().fold(1.0, f32::min);
    let saturation = if value > 0.0 {
        1.0 - least / value
    } else {
        0.0
    };
    if value < 0.16 {
        return "black";
    }
    if saturation < 0.14 {
        return match value {
            v if v > 0.7 => "white",
            v if v > 0.25 => "grey",
            _ => "black",
        };
    }
    let hue = hue_deg(rgb, value, value - least);
    let is_pale = saturation < 0.55 && value > 0.6;
    match hue {
        h if !(14.0..335.0).contains(&h) => {
            if is_pale {
                "pink"
            } else {
                "red"
            }
        }
        h if h < 46.0 => match (saturation, value) {
            (s, v) if s < 0.4 && v > 0.5 => "beige",
            (_, v) if v < 0.62 => "brown",
            _ => "orange",
        },
        h if h < 70.0 => {
            if saturation < 0.3 {
                "beige"
            } else {
                "yellow"
            }
        }
        h if h < 165.0 => "green",
        h if h < 197.0 => "cyan",
        h if h < 258.0 => "blue",
        h if h < 305.0 => "purple",
        _ => "pink",
    }
}

/// Returns the hue of a colour, degrees, from its largest channel and the range of its channels.
pub fn hue_deg([r, g, b]: [f32; 3], value: f32, range: f32) -> f32 {
    let sector = if value <= r {
        ((g - b) / range).rem_euclid(6.0)
    } else if value <= g {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    };
    60.0 * sector
}
