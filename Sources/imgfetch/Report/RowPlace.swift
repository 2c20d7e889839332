import ImgfetchReport

/// The place from which a row, or its image, can be read again.
enum RowPlace {
  /// The row begins here in the file of its input.
  case line(Int64)
  /// The row is one of a shard; its image lies there, if the line did not fail.
  case shard(ImagePlace?)
  /// The row came in a stream.
  case stream

  var image: ImagePlace? { if case .shard(let image) = self { image } else { nil } }
}
