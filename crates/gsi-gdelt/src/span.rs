//! A few neighbouring cells, and what follows them, so that they can be read many bytes at a time.

/// Bytes that are read at once.
pub const WIDTH: usize = 32;

#[derive(Clone, Copy)]
pub struct CellSpan<'a> {
    /// Starts with the span and goes on to the end of the file.
    rest: &'a [u8],
    length: usize,
}

impl<'a> CellSpan<'a> {
    /// The bytes from `start` to `end` of a text that may go on.
    #[inline(always)]
    pub fn new(text: &'a [u8], start: usize, end: usize) -> Self {
        CellSpan { rest: &text[start..], length: end.wrapping_sub(start) }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.length
    }

    #[inline(always)]
    pub fn bytes(&self) -> &'a [u8] {
        &self.rest[..self.length]
    }

    /// Starts with the span, with the separator after it and with whatever follows; absent where the file ends too soon.
    #[inline(always)]
    pub fn window(&self) -> Option<&'a [u8; WIDTH]> {
        self.rest.first_chunk()
    }

    /// The span and all that follows it.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}
