//! Tables in Parquet format.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int64Array,
    RecordBatch, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::json;

use crate::DatasetError;

pub(crate) struct Table {
    path: PathBuf,
    writer: Option<ArrowWriter<File>>,
    metadata: HashMap<String, String>,
}

pub(crate) type Columns = Vec<(String, ArrayRef)>;

impl Table {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            writer: None,
            metadata: HashMap::new(),
        }
    }

    /// Declares a column as the index, in the metadata of pandas. `lerobot` takes a task's text
    /// from the index; without this declaration it would get the number of the row instead.
    pub(crate) fn indexed_by(mut self, index: &str, columns: &[(&str, &str)]) -> Self {
        let columns = columns.iter().map(|(name, kind)| {
            let numpy = if *kind == "unicode" { "object" } else { kind };
            json!({
                "name": name,
                "field_name": name,
                "pandas_type": kind,
                "numpy_type": numpy,
                "metadata": null,
            })
        });
        let pandas = json!({
            "index_columns": [index],
            "column_indexes": [],
            "columns": columns.collect::<Vec<_>>(),
            "creator": { "library": "regrasp", "version": env!("CARGO_PKG_VERSION") },
            "pandas_version": "2.2.0",
        });
        self.metadata.insert("pandas".into(), pandas.to_string());
        self
    }

    pub(crate) fn write(&mut self, columns: Columns) -> Result<(), DatasetError> {
        let batch = batch(columns, self.metadata.clone()).map_err(|e| self.failed(e.into()))?;
        if self.writer.is_none() {
            let file = File::create(&self.path).map_err(DatasetError::write(&self.path))?;
            let properties = WriterProperties::builder()
                .set_compression(Compression::SNAPPY)
                .build();
            let writer = ArrowWriter::try_new(file, batch.schema(), Some(properties));
            self.writer = Some(writer.map_err(|e| self.failed(e))?);
        }
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let written = writer.write(&batch).and_then(|()| writer.flush());
        written.map_err(|e| self.failed(e))
    }

    pub(crate) fn finish(mut self) -> Result<(), DatasetError> {
        if let Some(writer) = self.writer.take() {
            writer.close().map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    fn failed(&self, source: ParquetError) -> DatasetError {
        let path = self.path.display();
        DatasetError::Other(format!("write the table `{path}`: {source}"))
    }
}

fn batch(columns: Columns, metadata: HashMap<String, String>) -> Result<RecordBatch, ArrowError> {
    let fields = columns
        .iter()
        .map(|(name, array)| Field::new(name, array.data_type().clone(), true));
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata);
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(schema), arrays)
}

pub(crate) fn int64(values: impl IntoIterator<Item = usize>) -> ArrayRef {
    let values = values.into_iter().map(|v| v as i64);
    Arc::new(Int64Array::from_iter_values(values))
}

pub(crate) fn float32(values: &[f64]) -> ArrayRef {
    let values = values.iter().map(|value| *value as f32);
    Arc::new(Float32Array::from_iter_values(values))
}

pub(crate) fn float64(values: impl IntoIterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

pub(crate) fn boolean(values: impl IntoIterator<Item = bool>) -> ArrayRef {
    let values: Vec<bool> = values.into_iter().collect();
    Arc::new(BooleanArray::from(values))
}

pub(crate) fn text<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

/// Column of lists. Each row is a list of one text.
pub(crate) fn texts<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for value in values {
        lists.values().append_value(value);
        lists.append(true);
    }
    Arc::new(lists.finish())
}

/// Column of vectors with `width` components; `values` are concatenated.
pub(crate) fn vectors(values: Vec<f32>, width: usize) -> ArrayRef {
    let item = Arc::new(Field::new("item", DataType::Float32, true));
    let values: ArrayRef = Arc::new(Float32Array::from(values));
    Arc::new(FixedSizeListArray::new(item, width as i32, values, None))
}
