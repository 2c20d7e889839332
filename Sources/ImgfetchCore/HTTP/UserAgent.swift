/// The User-Agent that is sent by default.
enum UserAgent {
  /// - Parameter contact: who asks; it becomes a comment (RFC 9110 §5.6.5), in which parentheses and backslashes are escaped.
  static func text(contact: String?) -> String {
    let product = "\(ImgfetchVersion.productToken)/\(ImgfetchVersion.number)"
    guard let contact, !contact.isEmpty else { return product }
    var comment = ""
    for scalar in contact.unicodeScalars {
      if scalar == "(" || scalar == ")" || scalar == "\\" { comment.unicodeScalars.append("\\") }
      comment.unicodeScalars.append(scalar)
    }
    return "\(product) (\(comment))"
  }
}
