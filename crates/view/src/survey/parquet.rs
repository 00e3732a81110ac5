//! Rows of a survey as Parquet. Columns of figures are doubles; all others are text.

use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;
use lab::Error;
use lab::survey::{Record, is_number};
use std::sync::Arc;

/// All rows in one row group, uncompressed. An empty field is null.
///
/// # Errors
/// None that depends on the input.
pub fn parquet(columns: &[String], records: &[&Record]) -> Result<Vec<u8>, Error> {
    written(columns, records).map_err(|error| Error::asked(error, "this is a mistake of lanescope: please report it"))
}

fn written(columns: &[String], records: &[&Record]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("survey").with_fields(fields).build()?);
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::builder().build()))?;
    let mut group = writer.next_row_group()?;
    for (place, column) in columns.iter().enumerate() {
        let texts: Vec<&str> = records.iter().map(|record| record[place].as_str()).collect();
        write(&mut group, &texts, is_number(column))?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

fn field(name: &str) -> Result<Type, ParquetError> {
    let physical = if is_number(name) { Physical::DOUBLE } else { Physical::BYTE_ARRAY };
    let logical = (!is_number(name)).then_some(LogicalType::String);
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

fn write(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    texts: &[&str],
    number: bool,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    let levels: Vec<i16> = texts.iter().map(|text| i16::from(!text.is_empty())).collect();
    let there = texts.iter().filter(|text| !text.is_empty());
    if number {
        // All numbers were printed by this program.
        let values: Vec<f64> = there.map(|text| text.parse().unwrap_or(f64::NAN)).collect();
        column.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
    } else {
        let values: Vec<ByteArray> = there.map(|text| ByteArray::from(*text)).collect();
        column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
    }
    column.close()
}
