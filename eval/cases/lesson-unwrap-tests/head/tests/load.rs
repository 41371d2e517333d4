#[test]
fn loads_a_file() {
    let text = std::fs::read_to_string("tests/data/a.txt").unwrap();
    assert!(text.len() >= 0);
}
