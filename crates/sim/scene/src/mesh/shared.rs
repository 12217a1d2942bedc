//! Bodies and reports that several scenes share, written and read as if each were alone.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) fn serialize<T: Serialize, S: Serializer>(
    body: &Option<Arc<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    body.as_deref().serialize(serializer)
}

pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<T>>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map(Arc::new))
}
