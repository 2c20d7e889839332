import ImgfetchCore

/// A list that another thread brings: a download, or what sources name.
protocol ListStream: AnyObject, Sendable {
  /// The name for people, without secrets.
  var name: String { get }
  /// The most bytes that it may have, compressed or not.
  var limit: Int64 { get }
  /// The failure of a list that is longer.
  var tooLong: FetchError { get }
  /// Can be read when more has come.
  var signal: SharedDescriptor { get }

  /// Reads on, and appends what there is to the buffer.
  func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> ListReading
}
