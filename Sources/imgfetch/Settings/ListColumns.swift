import ImgfetchCore

/// The columns of a table that mean something, by their names.
struct ListColumns: Hashable, Sendable {
  /// The column of URLs; nil for `url` in any case, else the column that holds URLs.
  var url: String?
  /// The column of captions; nil for `caption` in any case, if there is one.
  var caption: String?
  /// The column of identifiers; nil for `id` in any case, if there is one.
  var id: String?
  /// The column of the sums that images must have; nil if none is checked.
  var hash: String?
  /// Conditions that a record must meet.
  var filters: [ColumnFilter] = []
  /// True if all other columns go into the row, under their names.
  var goAlong = false

  /// A column that options name for two things, each of which would go to another field of the row; nil if none is.
  /// The sums may be in any column, which they only check.
  var ambiguous: String? {
    let names = [url, caption, id].compactMap(\.self)
    return names.indices.lazy.compactMap { at in
      names[(at + 1)...].first { $0.utf8.elementsEqual(names[at].utf8) }
    }.first
  }

  /// The columns that must be there, besides that of URLs.
  var named: [String] { [caption, id, hash].compactMap(\.self) + filters.map(\.column) }
}
