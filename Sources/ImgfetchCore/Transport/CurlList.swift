import CCurlShim

/// Lines in the form that libcurl wants, which keeps the pointer and not a copy: whoever sets it on a handle holds on to
/// the list until the handle is set to another or is gone.
@safe
final class CurlList {
  let list: UnsafeMutablePointer<curl_slist>?

  /// - Parameter exact: fields that follow the lines, byte for byte. No field's value holds NUL.
  init(_ lines: [String], exact: HeaderFields = HeaderFields()) throws(TransportFailure) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines.map({ [UInt8]($0.utf8) }) + exact.lines {
      let line = line.map { CChar(bitPattern: $0) } + [0]
      // Proof: libcurl copies the line up to its NUL; the list is freed once, here or in deinit.
      guard let longer = unsafe imgfetch_slist_append(list, line) else {
        unsafe imgfetch_slist_free(list)
        throw TransportFailure(.other, "there is not enough memory")
      }
      unsafe list = longer
    }
    unsafe self.list = list
  }

  deinit { unsafe imgfetch_slist_free(list) }
}

extension HeaderFields {
  /// Each field as one line.
  fileprivate var lines: [[UInt8]] {
    var lines: [[UInt8]] = []
    var seen: Set<String> = []
    for field in self where seen.insert(field.name.lowercased()).inserted {
      forEach(field.name) { value in lines.append(Array("\(field.name): ".utf8) + value) }
    }
    return lines
  }
}
