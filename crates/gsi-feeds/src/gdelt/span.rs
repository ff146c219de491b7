//! A few neighbouring cells, and what follows them, so that they can be read many bytes at a time.

/// Bytes that are read at once.
pub const WIDTH: usize = 32;

#[derive(Clone, Copy)]
pub struct Span<'a> {
    pub bytes: &'a [u8],
    /// Starts with the span, with the separator after it and with whatever follows; absent where the file ends too soon.
    pub window: Option<&'a [u8; WIDTH]>,
}

impl<'a> Span<'a> {
    /// The bytes from `start` to `end` of a text that may go on.
    #[inline(always)]
    pub fn new(text: &'a [u8], start: usize, end: usize) -> Self {
        Span { bytes: &text[start..end], window: text[start..].first_chunk() }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}
