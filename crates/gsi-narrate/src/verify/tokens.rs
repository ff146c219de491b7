//! A text cut into words, numbers and marks, and those into sentences and clauses.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Word,
    Number,
    Mark,
    /// A line or paragraph break.
    Break,
}

#[derive(Clone, Debug)]
pub struct Token<'t> {
    pub raw: &'t str,
    pub low: String,
    pub sort: Sort,
}

impl Token<'_> {
    pub fn is(&self, word: &str) -> bool {
        self.low == word
    }

    pub fn is_capital(&self) -> bool {
        self.raw.chars().next().is_some_and(char::is_uppercase)
    }

    /// The digits without their sign.
    pub fn digits(&self) -> &str {
        self.raw.trim_start_matches(['+', '-', '−'])
    }

    pub fn sign(&self) -> Option<char> {
        self.raw.chars().next().filter(|c| matches!(c, '+' | '-' | '−'))
    }
}

pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let at = |n: usize| chars.get(n).map_or('\0', |c| c.1);
    let offset = |n: usize| chars.get(n).map_or(text.len(), |c| c.0);
    let mut out = Vec::with_capacity(text.len() / 5);
    let mut n = 0;
    while n < chars.len() {
        let start = n;
        let c = at(n);
        let after_word = n > 0 && at(n - 1).is_alphanumeric();
        let sort = if c == '\n' {
            n += 1;
            Sort::Break
        } else if c.is_whitespace() {
            n += 1;
            continue;
        } else if c.is_ascii_digit()
            || (matches!(c, '+' | '-' | '−') && at(n + 1).is_ascii_digit() && !after_word)
        {
            n += 1;
            while at(n).is_ascii_digit()
                || (matches!(at(n), '.' | ',' | ':' | '-') && at(n + 1).is_ascii_digit())
            {
                n += 1;
            }
            Sort::Number
        } else if c.is_alphabetic() {
            n += 1;
            while at(n).is_alphanumeric()
                || (matches!(at(n), '\'' | '’' | '-' | '.') && at(n + 1).is_alphanumeric())
            {
                n += 1;
            }
            Sort::Word
        } else {
            n += 1;
            Sort::Mark
        };
        let raw = &text[offset(start)..offset(n)];
        out.push(Token { raw, low: raw.to_lowercase(), sort });
    }
    out
}

/// Ranges of tokens that form sentences, their closing mark included.
pub fn sentences(tokens: &[Token]) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for (n, token) in tokens.iter().enumerate() {
        let ends = token.sort == Sort::Break || matches!(token.raw, "." | "!" | "?");
        if ends {
            let end = if token.sort == Sort::Break { n } else { n + 1 };
            if tokens[start..end].iter().any(|t| t.sort != Sort::Mark) {
                out.push(start..end);
            }
            start = n + 1;
        }
    }
    if tokens.get(start..).is_some_and(|rest| rest.iter().any(|t| t.sort != Sort::Mark)) {
        out.push(start..tokens.len());
    }
    out
}

/// A sentence cut at semicolons: a number belongs to what its own clause speaks of.
pub fn clauses(tokens: &[Token], sentence: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut start = sentence.start;
    for n in sentence.clone() {
        if tokens[n].raw == ";" {
            out.push(start..n);
            start = n + 1;
        }
    }
    out.push(start..sentence.end);
    out.retain(|r| !r.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts() {
        let check = |text: &str, want: &[&str]| {
            let raws: Vec<&str> = tokens(text).iter().map(|t| t.raw).collect();
            assert_eq!(raws, want, "{text}");
        };
        check("At 57 (+9.4).", &["At", "57", "(", "+9.4", ")", "."]);
        check("23:45 UTC, 24-hour", &["23:45", "UTC", ",", "24", "-", "hour"]);
        check("GDELT 2.0 Guinea-Bissau 2026-11-14", &["GDELT", "2.0", "Guinea-Bissau", "2026-11-14"]);
        check("58 % of 1,200", &["58", "%", "of", "1,200"]);
        let text = "One; two. Three 2.0 four!\n\nFive";
        let all = tokens(text);
        assert_eq!(sentences(&all).len(), 3);
        assert_eq!(clauses(&all, sentences(&all)[0].clone()).len(), 2);
    }
}
