/// An event of a JSON text. Strings have their escapes undone.
package enum JSONEvent: Sendable, Equatable {
  case beginObject, endObject, beginArray, endArray
  case key([UInt8])
  case string([UInt8])
  /// A number, `true`, `false` or `null`, as it is written.
  case literal([UInt8])
}
