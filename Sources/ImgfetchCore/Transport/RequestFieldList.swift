import CCurlShim

/// The plain fields of a request, ready for libcurl. One list serves all requests with the same ones, which is nearly all.
final class RequestFieldList {
  private let fields: [(name: String, value: String)]
  let lines: CurlList

  /// Fails where a field would break out of its line, or memory has run out.
  init(_ fields: [(name: String, value: String)]) throws(TransportFailure) {
    self.fields = fields
    lines = try CurlList(Self.lines(for: fields))
  }

  func holds(_ others: [(name: String, value: String)]) -> Bool {
    Self.isSameArray(fields, others) || fields.elementsEqual(others, by: ==)
  }

  /// Whether two arrays are one and the same: the requests of a list mostly bring the very fields of the one before.
  private static func isSameArray(_ one: [(name: String, value: String)], _ other: [(name: String, value: String)])
    -> Bool
  {
    // Proof: the addresses are compared and not followed. Both arrays are alive, so no two of different content have the same.
    unsafe one.withUnsafeBufferPointer { one in
      unsafe other.withUnsafeBufferPointer { other in
        unsafe one.baseAddress == other.baseAddress && one.count == other.count
      }
    }
  }

  /// As libcurl reads them: to it a colon with nothing behind it means "leave this field out", and a semicolon "send it
  /// empty". An Accept that it would add by itself is left out.
  static func lines(for fields: [(name: String, value: String)]) throws(TransportFailure) -> [String] {
    var lines: [String] = []
    var hasAccept = false
    for field in fields {
      guard isSafe(field.name, field.value) else {
        throw TransportFailure(.refusedRequest, "the request field \"\(field.name)\" holds control characters")
      }
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
      if field.name.utf8.count == 6, field.name.lowercased() == "accept" { hasAccept = true }
    }
    return hasAccept ? lines : lines + ["Accept:"]
  }

  /// The same of fields in bytes, in which the names are tokens already.
  static func areSafe(_ fields: HeaderFields) -> Bool {
    var areSafe = true
    fields.forEachLine { _, value in areSafe = areSafe && RequestText.isFieldValue(value.span) }
    return areSafe
  }

  private static func isSafe(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(HeaderFields.isToken) && RequestText.isFieldValue(value)
  }
}

/// Lines in the form that libcurl wants, which keeps the pointer and not a copy: whoever sets it on a handle holds on to
/// the list until the handle is set to another or is gone.
@safe
final class CurlList {
  private typealias Node = curl_slist

  let list: UnsafeMutablePointer<curl_slist>?
  /// The lines behind those of this list.
  private let rest: CurlList?
  /// What the nodes of this list and their texts lie in; nil: each is libcurl's own.
  private let memory: UnsafeMutableRawPointer?

  init(_ lines: [String]) throws(TransportFailure) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines {
      // Proof: libcurl copies the line up to its NUL; the list is freed once, here or in deinit.
      guard let longer = unsafe line.withCString({ unsafe imgfetch_slist_append(list, $0) }) else {
        unsafe imgfetch_slist_free(list)
        throw TransportFailure(.other, "there is not enough memory")
      }
      unsafe list = longer
    }
    unsafe self.list = list
    rest = nil
    unsafe memory = nil
  }

  /// Fields byte for byte, of which no value holds NUL, and behind them another list, which many requests have in common. In one
  /// block of memory: what is asked about a stored image is another thing for each, and line by line it was 3 % of all that such a
  /// run computes.
  init(_ exact: HeaderFields, before rest: CurlList) {
    var size = unsafe exact.count * MemoryLayout<Node>.stride
    exact.forEachLine { name, value in size += name.count + 2 + value.count + 1 }
    // Proof: the nodes lie in front, aligned as the block is; behind each other the texts, whose lengths were added up above by the
    // same walk. All of it is written before libcurl sees it, which only reads. The last node leads to the first of `rest`, which lives
    // as long as this.
    let memory = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: max(1, size), alignment: MemoryLayout<Node>.alignment)
    let nodes = unsafe memory.bindMemory(to: Node.self, capacity: exact.count)
    var text = unsafe memory.advanced(by: exact.count * MemoryLayout<Node>.stride)
    var index = 0
    func put(_ bytes: some Collection<UInt8>) {
      unsafe UnsafeMutableRawBufferPointer(start: text, count: bytes.count).copyBytes(from: bytes)
      unsafe text += bytes.count
    }
    exact.forEachLine { name, value in
      let next = index + 1 < exact.count ? unsafe nodes + index + 1 : unsafe rest.list
      unsafe (nodes + index).initialize(
        to: Node(data: text.assumingMemoryBound(to: CChar.self), next: next))
      put(name)
      // To libcurl a colon with nothing behind it means "leave this field out".
      put(value.isEmpty ? [UInt8(ascii: ";")] : [UInt8(ascii: ":"), UInt8(ascii: " ")])
      put(value)
      put(CollectionOfOne(0))
      index += 1
    }
    unsafe list = exact.isEmpty ? rest.list : nodes
    self.rest = rest
    unsafe self.memory = memory
  }

  deinit {
    if let memory = unsafe memory { unsafe memory.deallocate() } else { unsafe imgfetch_slist_free(list) }
  }
}
