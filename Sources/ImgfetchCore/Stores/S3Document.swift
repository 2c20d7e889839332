/// The few XML documents of S3's protocol that are read and written. They are flat, and made by the store that the user
/// named, so an element is found by its name.
enum S3Document {
  /// The text of the first element of that name, or nil if there is none.
  static func text(of element: String, in document: [UInt8]) -> String? {
    let (opening, closing) = (Array("<\(element)>".utf8), Array("</\(element)>".utf8))
    guard let start = document.place(of: opening),
      let end = document.place(of: closing, from: start + opening.count)
    else { return nil }
    return decoded(String(decoding: document[(start + opening.count)..<end], as: UTF8.self))
  }

  /// The code of an error, such as `NoSuchBucket`, or nil if the document has none that could be shown.
  static func errorCode(in document: [UInt8]) -> String? {
    guard document.place(of: Array("<Error>".utf8)) != nil, let code = text(of: "Code", in: document),
      (1...64).contains(code.utf8.count), code.utf8.allSatisfy({ PercentCoding.isUnreserved($0) })
    else { return nil }
    return code
  }

  /// The document that completes an upload of parts with these entity tags.
  static func completion(of tags: [String]) -> [UInt8] {
    var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    for (at, tag) in tags.enumerated() {
      text += "<Part><PartNumber>\(at + 1)</PartNumber><ETag>\(encoded(tag))</ETag></Part>"
    }
    return Array((text + "</CompleteMultipartUpload>").utf8)
  }

  private static let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&amp;", "&")]

  private static func decoded(_ text: String) -> String {
    var rest = text[...]
    var decoded = ""
    while let first = rest.first {
      if first == "&", let (name, letter) = entities.first(where: { rest.hasPrefix($0.0) }) {
        decoded += letter
        rest = rest.dropFirst(name.count)
      } else {
        decoded.append(first)
        rest = rest.dropFirst()
      }
    }
    return decoded
  }

  private static func encoded(_ text: String) -> String {
    var encoded = ""
    for letter in text {
      switch letter {
      case "&": encoded += "&amp;"
      case "<": encoded += "&lt;"
      case ">": encoded += "&gt;"
      default: encoded.append(letter)
      }
    }
    return encoded
  }
}
