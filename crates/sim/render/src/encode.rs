//! Conversion between linear light and screen values (sRGB, IEC 61966-2-1).

use std::sync::OnceLock;

/// Number of steps of linear light between black and white.
const N_CODES: usize = 4096;

/// Screen value for each step of linear light.
#[derive(Debug)]
pub(crate) struct Encoding([u8; N_CODES]);

pub(crate) fn encoding() -> &'static Encoding {
    static TABLE: OnceLock<Encoding> = OnceLock::new();
    TABLE.get_or_init(|| {
        Encoding(std::array::from_fn(|i| {
            let c = i as f32 / (N_CODES - 1) as f32;
            (shown(c) * 255.0 + 0.5) as u8
        }))
    })
}

impl Encoding {
    /// Converts the light of each channel to colours through the table.
    #[inline(always)]
    pub(crate) fn encode(
        &self,
        light: &[Vec<f32>; 3],
        steps: &mut [Vec<u32>; 3],
        rgb: &mut [[u8; 3]],
    ) {
        const LAST: f32 = (N_CODES - 1) as f32;
        // Adding this to a small number leaves the nearest integer in the lowest bits.
        const TO_INTEGER: f32 = 8_388_608.0;
        for (steps, light) in steps.iter_mut().zip(light) {
            for (step, light) in steps.iter_mut().zip(light) {
                // Negative values and values beyond white saturate; NaN becomes black.
                let step_of = light * LAST;
                let step_of = if step_of > 0.0 { step_of } else { 0.0 };
                let step_of = if step_of < LAST { step_of } else { LAST };
                *step = (step_of + TO_INTEGER).to_bits() & (N_CODES as u32 - 1);
            }
        }
        let [red, green, blue] = steps;
        let code = |step: &u32| self.0[*step as usize & (N_CODES - 1)];
        for (rgb, ((r, g), b)) in rgb.iter_mut().zip(red.iter().zip(green).zip(blue)) {
            *rgb = [code(r), code(g), code(b)];
        }
    }
}

/// Screen value of linear light, both 0 to 1.
pub(crate) fn shown(c: f32) -> f32 {
    if c <= 0.003_130_8 {
        12.92 * c
    } else {
        1.055 * c.powf(1.0 / 2.4) - 0.055
    }
}

pub(crate) fn linear(c: f32) -> f32 {
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}
