use std::sync::atomic::{AtomicU32, Ordering};

/// How many retries all workers together have left.
pub struct Budget {
    left: AtomicU32,
}

impl Budget {
    /// A budget of so many retries.
    pub fn new(retries: u32) -> Self {
        Budget { left: AtomicU32::new(retries) }
    }

    /// Takes one retry; false where none is left.
    pub fn take(&self) -> bool {
        if self.left.load(Ordering::SeqCst) == 0 {
            return false;
        }
        self.left.fetch_sub(1, Ordering::SeqCst);
        true
    }
}
