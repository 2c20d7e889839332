/// The challenges of a 401 (RFC 9110 §11.6.1).
package enum Challenge {
  /// True if the response offers the Digest scheme.
  package static func offersDigest(_ fields: HeaderFields) -> Bool {
    var offers = false
    fields.forEach("www-authenticate") { line in
      var word: [UInt8] = []
      var isFirst = true
      var isQuoted = false
      var isEscaped = false
      // A challenge begins a list member. Its parameters are members too, but have a `=` where a challenge has a blank.
      for byte in line + [UInt8(ascii: ",")] {
        if isQuoted {
          isQuoted = isEscaped || byte != UInt8(ascii: "\"")
          isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = true
          isFirst = false
        } else if byte == UInt8(ascii: ",") || HeaderFields.isBlank(byte) {
          if isFirst, word.elementsEqual("digest".utf8) { offers = true }
          if byte == UInt8(ascii: ",") { isFirst = true } else if !word.isEmpty { isFirst = false }
          word = []
        } else {
          word.append(URLHost.lower(byte))
        }
      }
    }
    return offers
  }
}
