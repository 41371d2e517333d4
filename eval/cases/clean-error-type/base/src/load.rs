use std::fs;

pub fn load(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| error.to_string())
}
