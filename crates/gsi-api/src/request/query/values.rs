//! The serde side of a query: structs and tuples of structs from names and values.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;
use std::{fmt, vec};

/// Most values of a repeatable parameter. A longer list is no longer a filter.
const MAX_REPEATS: usize = 50;

/// Why a query does not fit its type.
#[derive(Debug, Default)]
pub(super) struct QueryError {
    pub parameter: &'static str,
    /// Where the refused values are among the pairs of the query, in ascending order.
    pub places: Vec<usize>,
    pub problem: String,
    pub allowed: String,
}

impl QueryError {
    /// Names the parameter, unless the error has one already.
    fn about(mut self, parameter: &'static str, places: &[usize]) -> Self {
        if self.parameter.is_empty() {
            self.parameter = parameter;
            self.places = places.to_vec();
        }
        self
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, allowed is {}", self.parameter, self.problem, self.allowed)
    }
}

impl std::error::Error for QueryError {}

impl Error for QueryError {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        QueryError { problem: problem.to_string(), ..QueryError::default() }
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let problem = match unexpected {
            Unexpected::Other(problem) => problem,
            _ => "is not one of the allowed values",
        };
        QueryError { problem: problem.to_owned(), allowed: expected.to_string(), ..QueryError::default() }
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        let allowed = format!("one of {}", expected.join(", "));
        QueryError { allowed, ..QueryError::custom("is not one of the allowed values") }
    }

    fn missing_field(parameter: &'static str) -> Self {
        QueryError { parameter, ..QueryError::custom("is missing") }
    }
}

/// Reads a struct, or each struct of a tuple, from the pairs of a query.
pub(super) struct QueryDeserializer<'a> {
    pairs: &'a [(String, String)],
    declared: Vec<&'static str>,
}

impl<'a> QueryDeserializer<'a> {
    pub fn new(pairs: &'a [(String, String)]) -> Self {
        QueryDeserializer { pairs, declared: Vec::new() }
    }

    /// The names of all parameters that were asked for.
    pub fn into_declared(self) -> Vec<&'static str> {
        self.declared
    }
}

impl<'de> Deserializer<'de> for &mut QueryDeserializer<'_> {
    type Error = QueryError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, QueryError> {
        Err(QueryError::custom("is read into a type that is not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, QueryError> {
        self.declared.extend(names);
        let all = names.iter().map(|name| ParameterValues::find(self.pairs, name));
        let given: Vec<_> = all.filter(|values| !values.places.is_empty()).collect();
        visitor.visit_map(GivenParameters { rest: given.into_iter(), next: None })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple_struct map enum identifier ignored_any
    }
}

/// The structs of a tuple. An error of a whole struct is about its first parameter.
impl<'de> SeqAccess<'de> for QueryDeserializer<'_> {
    type Error = QueryError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, QueryError> {
        let already_declared = self.declared.len();
        match seed.deserialize(&mut *self) {
            Ok(part) => Ok(Some(part)),
            Err(error) => {
                let first = self.declared.get(already_declared).copied().unwrap_or_default();
                let values = ParameterValues::find(self.pairs, first);
                Err(error.about(first, &values.places))
            }
        }
    }
}

/// The parameters of a struct that a query has values for. An error of a value names its parameter.
struct GivenParameters<'a> {
    rest: vec::IntoIter<ParameterValues<'a>>,
    /// The parameter whose name was read last.
    next: Option<ParameterValues<'a>>,
}

impl<'de> MapAccess<'de> for GivenParameters<'_> {
    type Error = QueryError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, QueryError> {
        self.next = self.rest.next();
        let Some(values) = &self.next else { return Ok(None) };
        seed.deserialize(StrDeserializer::new(values.name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, QueryError> {
        let Some(values) = self.next.take() else {
            return Err(QueryError::custom("is read before its name"));
        };
        let (name, places) = (values.name, values.places.clone());
        seed.deserialize(values).map_err(|error| error.about(name, &places))
    }
}

/// The values of a repeatable parameter. An error of a value is about its place alone.
struct RepeatedValues<'a> {
    name: &'static str,
    pairs: &'a [(String, String)],
    places: vec::IntoIter<usize>,
}

impl<'de> SeqAccess<'de> for RepeatedValues<'_> {
    type Error = QueryError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, QueryError> {
        let Some(place) = self.places.next() else { return Ok(None) };
        let value = ParameterValues { name: self.name, pairs: self.pairs, places: vec![place] };
        seed.deserialize(value).map(Some).map_err(|error| error.about(self.name, &[place]))
    }
}

/// The values that a query has for one parameter.
struct ParameterValues<'a> {
    name: &'static str,
    pairs: &'a [(String, String)],
    places: Vec<usize>,
}

impl<'a> ParameterValues<'a> {
    fn find(pairs: &'a [(String, String)], name: &'static str) -> Self {
        let has_name = |place: &usize| pairs[*place].0 == name;
        ParameterValues { name, pairs, places: (0..pairs.len()).filter(has_name).collect() }
    }

    /// The value of a parameter that may be given once.
    fn single(&self) -> Result<&'a str, QueryError> {
        match self.places.as_slice() {
            [place] => Ok(&self.pairs[*place].1),
            _ => Err(self.given_too_often("once".to_owned())),
        }
    }

    fn given_too_often(&self, allowed: String) -> QueryError {
        let problem = format!("is given {} times", self.places.len());
        QueryError { allowed, ..QueryError::custom(problem) }.about(self.name, &self.places)
    }
}

impl<'de> Deserializer<'de> for ParameterValues<'_> {
    type Error = QueryError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_str(self.single()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, QueryError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        if self.places.len() > MAX_REPEATS {
            return Err(self.given_too_often(format!("at most {MAX_REPEATS} times")));
        }
        visitor.visit_seq(RepeatedValues {
            name: self.name,
            pairs: self.pairs,
            places: self.places.into_iter(),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, QueryError> {
        let word: StrDeserializer<'_, QueryError> = self.single()?.into_deserializer();
        visitor.visit_enum(word)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map struct identifier ignored_any
    }
}
