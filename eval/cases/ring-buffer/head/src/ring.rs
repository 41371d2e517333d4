/// The last lines of a log.
pub struct Ring {
    lines: Vec<String>,
    next: usize,
    size: usize,
}

impl Ring {
    /// A ring for `size` lines.
    pub fn new(size: usize) -> Self {
        Ring { lines: Vec::with_capacity(size), next: 0, size }
    }

    /// Adds a line; the oldest one goes where the ring is full.
    pub fn push(&mut self, line: String) {
        if self.lines.len() <= self.size {
            self.lines.push(line);
        } else {
            self.lines[self.next] = line;
        }
        self.next = (self.next + 1) % self.size;
    }

    /// All lines, oldest first.
    pub fn lines(&self) -> Vec<&str> {
        self.lines.iter().map(String::as_str).collect()
    }

    /// The first characters of the last line, for a title.
    pub fn title(&self) -> &str {
        let last = self.lines.last().map(String::as_str).unwrap_or("");
        &last[..last.len().min(20)]
    }
}
