/// The coding of a body, by the Content-Encoding fields of its answer. None is ever asked for.
package enum ContentCoding: Hashable, Sendable {
  /// The body is not encoded.
  case none
  /// One layer of gzip: how files are stored that are gzip by themselves, as SVGs in buckets are.
  case gzip
  /// Another, or several layers.
  case other(String)

  package init(_ fields: HeaderFields) {
    guard fields.contains("content-encoding"), let list = fields.combined("content-encoding") else {
      self = .none
      return
    }
    let names = list.utf8.split { $0 == UInt8(ascii: ",") || $0 <= 0x20 }.map { $0.map(URLHost.lower) }
      .filter { !$0.elementsEqual("identity".utf8) }
    if names.isEmpty {
      self = .none
    } else if names.count == 1, names[0].elementsEqual("gzip".utf8) || names[0].elementsEqual("x-gzip".utf8) {
      self = .gzip
    } else {
      self = .other(list)
    }
  }

  /// Fields that are about the coded body, in lower case.
  static let ownFields = [
    "content-encoding", "content-length", "content-md5", "digest", "content-digest", "repr-digest",
  ]
}
