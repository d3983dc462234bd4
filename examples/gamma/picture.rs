//! Pictures, and the PNG files that hold them.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use png::{BitDepth, ColorType, Decoder, Encoder, Info, Transformations};

/// The samples of all pixels, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Samples {
    /// From 0 to 255.
    Eight(Vec<u8>),
    /// From 0 to 65535.
    Sixteen(Vec<u16>),
}

impl Samples {
    /// Sample number `i`.
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Samples::Eight(samples) => samples[i].into(),
            Samples::Sixteen(samples) => samples[i].into(),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Samples::Eight(samples) => samples.len(),
            Samples::Sixteen(samples) => samples.len(),
        }
    }

    /// The largest possible value.
    pub fn top(&self) -> f64 {
        match self {
            Samples::Eight(_) => u8::MAX.into(),
            Samples::Sixteen(_) => u16::MAX.into(),
        }
    }
}

/// A picture.
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The samples of a pixel: grey or red, green and blue, and perhaps alpha.
    pub color: ColorType,
    /// The pixels.
    pub samples: Samples,
    /// What the file said of the picture's colours and resolution.
    info: Info<'static>,
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = match self.samples {
            Samples::Eight(_) => 8,
            Samples::Sixteen(_) => 16,
        };
        write!(f, "{} × {}, {:?}, {bits} bits", self.width, self.height, self.color)
    }
}

impl Picture {
    /// A picture of these samples.
    ///
    /// # Errors
    /// They are not as many as the picture has.
    pub fn new(width: u32, height: u32, color: ColorType, samples: Samples) -> Result<Picture> {
        let wanted = width as usize * height as usize * color.samples();
        ensure!(
            samples.count() == wanted,
            "a picture of {wanted} samples, not {}",
            samples.count()
        );
        Ok(Picture {
            width,
            height,
            color,
            samples,
            info: Info::default(),
        })
    }

    /// Samples of a pixel.
    pub fn channels(&self) -> usize {
        self.color.samples()
    }

    /// Is the last of them alpha?
    pub fn has_alpha(&self) -> bool {
        matches!(self.color, ColorType::GrayscaleAlpha | ColorType::Rgba)
    }

    /// Samples of a row.
    pub fn row(&self) -> usize {
        self.width as usize * self.channels()
    }

    /// Reads a PNG file. Palettes and samples of fewer than 8 bits become samples of 8 bits, transparent colours alpha.
    ///
    /// # Errors
    /// The file cannot be read, is not a PNG file or a damaged one, or is animated.
    pub fn read(path: &Path) -> Result<Picture> {
        let shown = path.display();
        let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
        let mut decoder = Decoder::new(BufReader::new(file));
        decoder.set_transformations(Transformations::EXPAND);
        let damaged = || format!("{shown} cannot be read as a PNG file");
        let mut reader = decoder.read_info().with_context(damaged)?;
        if reader.info().is_animated() {
            bail!("{shown} is animated, which is not supported: save one of its pictures by itself");
        }
        let size = reader.output_buffer_size();
        let mut bytes = Vec::new();
        let reserved = size.filter(|&size| bytes.try_reserve_exact(size).is_ok());
        let size = reserved.with_context(|| format!("{shown} says that it is larger than this machine's memory"))?;
        bytes.resize(size, 0);
        let frame = reader.next_frame(&mut bytes).with_context(damaged)?;
        // What follows the pixels can be damaged too.
        reader.finish().with_context(damaged)?;
        let samples = match frame.bit_depth {
            BitDepth::Eight => Samples::Eight(bytes),
            BitDepth::Sixteen => {
                let (pairs, _) = bytes.as_chunks::<2>();
                Samples::Sixteen(pairs.iter().map(|&pair| u16::from_be_bytes(pair)).collect())
            }
            other => bail!("{shown} has samples of an unsupported kind ({other:?})"),
        };
        Ok(Picture {
            info: reader.info().clone(),
            ..Picture::new(frame.width, frame.height, frame.color_type, samples)?
        })
    }

    /// Writes a PNG file. A file of that name is replaced when the new one is complete, else it stays.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        self.write_beside(path)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn write_beside(&self, path: &Path) -> Result<()> {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut file = tempfile::Builder::new();
        file.prefix(".gamma-").suffix(".png");
        // As any new file, not private as temporary ones are; the process's mask still applies.
        #[cfg(unix)]
        file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = file.tempfile_in(directory)?;
        let mut writer = BufWriter::new(file);
        self.encode(&mut writer)?;
        let file = writer.into_inner().map_err(|error| error.into_error())?;
        file.as_file().sync_all()?;
        // The operating system's reason alone.
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn encode(&self, writer: &mut impl Write) -> Result<()> {
        let mut info = Info::with_size(self.width, self.height);
        info.color_type = self.color;
        info.bit_depth = match self.samples {
            Samples::Eight(_) => BitDepth::Eight,
            Samples::Sixteen(_) => BitDepth::Sixteen,
        };
        // Where the colours are stays true. How bright samples are to be shown (gAMA, sRGB, ICC) is what has changed.
        info.pixel_dims = self.info.pixel_dims;
        let mut writer = Encoder::with_info(writer, info)?.write_header()?;
        match &self.samples {
            Samples::Eight(samples) => writer.write_image_data(samples)?,
            Samples::Sixteen(samples) => {
                let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_be_bytes()).collect();
                writer.write_image_data(&bytes)?;
            }
        }
        writer.finish()?;
        Ok(())
    }
}
