pub fn port() -> u16 {
    8080
}
