//! Colours of warps, banks and movements.

use mytriton_layout::Movement;

/// Red, green, blue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(u8, u8, u8);

/// Pale, so that black text stands out, and neighbours far apart.
const WARPS: [Colour; 16] = [
    Colour(0x8f, 0xbc, 0xe6),
    Colour(0xf6, 0xb5, 0x7a),
    Colour(0x9a, 0xd1, 0x8f),
    Colour(0xe8, 0x94, 0x94),
    Colour(0xc2, 0xab, 0xe0),
    Colour(0xe6, 0xd2, 0x6e),
    Colour(0x85, 0xd0, 0xcf),
    Colour(0xee, 0xa6, 0xcd),
    Colour(0xb3, 0xc0, 0xcc),
    Colour(0xd3, 0xb3, 0x8c),
    Colour(0xbf, 0xdc, 0x74),
    Colour(0xa3, 0xa9, 0xe8),
    Colour(0xf0, 0xc3, 0xae),
    Colour(0x7f, 0xc8, 0xa6),
    Colour(0xd9, 0x9c, 0xd9),
    Colour(0xc9, 0xc9, 0x9b),
];

impl Colour {
    /// Of a warp; every sixteenth has the same.
    pub fn warp(warp: u32) -> Colour {
        WARPS[warp as usize % WARPS.len()]
    }

    /// Of one of 32 banks: once around the wheel of hues.
    pub fn bank(bank: u32) -> Colour {
        // Six sections of the wheel, in steps of 6/32.
        let position = f64::from(bank % 32) * 6.0 / 32.0;
        let channel = |shift: f64| {
            let distance = ((position + shift) % 6.0 - 3.0).abs();
            let saturated = (distance - 1.0).clamp(0.0, 1.0);
            (255.0 * (0.55 + 0.42 * saturated)).round() as u8
        };
        Colour(channel(0.0), channel(4.0), channel(2.0))
    }

    /// Of what an element's way is.
    pub fn movement(movement: Movement) -> Colour {
        match movement {
            Movement::None => Colour(0xf0, 0xf0, 0xf0),
            Movement::Registers => Colour(0xb7, 0xdc, 0xa8),
            Movement::Lanes => Colour(0xf4, 0xd5, 0x7e),
            Movement::Warps => Colour(0xee, 0xa0, 0x90),
            Movement::Blocks => Colour(0xc7, 0xa3, 0xdd),
        }
    }

    /// Mixed with white: `part` of 256 of it is left.
    pub fn paler(self, part: u32) -> Colour {
        let mix = |channel: u8| (255 - (255 - u32::from(channel)) * part.min(256) / 256) as u8;
        Colour(mix(self.0), mix(self.1), mix(self.2))
    }

    /// `#rrggbb`.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The nearest of the terminal's cube of 6x6x6 colours.
    pub fn terminal(self) -> u8 {
        let level = |channel: u8| (u32::from(channel) * 5 + 127) / 255;
        (16 + 36 * level(self.0) + 6 * level(self.1) + level(self.2)) as u8
    }
}
