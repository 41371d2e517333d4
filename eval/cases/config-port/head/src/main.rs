mod config;

fn main() {
    println!("{}", config::port());
}
