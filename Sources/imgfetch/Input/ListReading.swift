import ImgfetchCore

/// The result of reading on in a list that comes by and by.
enum ListReading {
  case bytes
  /// There is nothing yet; the signal of the list can be read when that changes.
  case nothing
  case end
  case failed(FetchError)
}
