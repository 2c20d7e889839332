import ImgfetchCore

/// The address of objects: a folder of a web server, or `s3://BUCKET/PREFIX`, for which an account is needed.
enum StoreAddress: Sendable {
  case web(WebURL)
  case bucket(String)

  /// True if the name of a list or a folder is a URL, and not a file's.
  static func isURL(_ name: String) -> Bool { name.holds("://") }
}
