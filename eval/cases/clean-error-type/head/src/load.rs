use std::{fmt, fs, io};

/// Why a file was not loaded.
#[derive(Debug)]
pub struct LoadError {
    path: String,
    cause: io::Error,
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path, self.cause)
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// The text of a file.
pub fn load(path: &str) -> Result<String, LoadError> {
    fs::read_to_string(path).map_err(|cause| LoadError { path: path.to_owned(), cause })
}
