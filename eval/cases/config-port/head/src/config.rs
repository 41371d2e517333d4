use std::env;
use std::time::Duration;

/// The port to listen on; 8080 where nobody says otherwise.
pub fn port() -> u16 {
    match env::var("PORT") {
        Ok(text) => text.parse::<u32>().unwrap() as u16,
        Err(_) => 8080,
    }
}

/// How long a request may take.
pub fn timeout() -> Duration {
    let seconds: u64 = env::var("TIMEOUT_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    Duration::from_millis(seconds)
}
