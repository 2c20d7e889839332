import ImgfetchCore
import ImgfetchPages

/// The address of a page, as what it names is judged by it.
struct PageAddress: Sendable {
  /// The name of the page for people, without secrets.
  let name: String
  /// The URL that references are relative to, or nil for a file whose URL is not known.
  let url: WebURL?
  /// The URL that requests name as their referrer, or nil for a file.
  var referrer: WebURL?
  var isPublic = false
  /// True for a file and standard input.
  var isOwn = false
}
