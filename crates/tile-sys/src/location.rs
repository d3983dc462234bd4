//! Source locations.

use melior::ir::Location;

/// The file, line and column of a location: of a fused, named or call-site one, those of the first file within it.
pub fn place_of(location: Location<'_>) -> Option<(String, u32, u32)> {
    if location.is_file_line_col_range() {
        let file = location
            .file_line_col_range_filename()
            .as_string_ref()
            .as_str()
            .ok()?
            .to_owned();
        let line = u32::try_from(location.file_line_col_range_start_line()).ok()?;
        let col = u32::try_from(location.file_line_col_range_start_column()).ok()?;
        return Some((file, line, col));
    }
    if location.is_name() {
        return place_of(location.name_child_location());
    }
    if location.is_call_site() {
        return place_of(location.call_site_callee());
    }
    if location.is_fused() {
        return (0..location.fused_num_locations()).find_map(|i| place_of(location.fused_location(i)));
    }
    None
}

/// The same as `file:line:column`.
pub fn place_text(location: Location<'_>) -> Option<String> {
    place_of(location).map(|(file, line, column)| format!("{file}:{line}:{column}"))
}
