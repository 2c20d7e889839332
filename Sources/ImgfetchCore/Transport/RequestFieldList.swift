import CCurlShim

/// The plain fields of a request in libcurl's form. One list serves all requests with the same fields, which is nearly
/// all.
final class RequestFieldList {
  private let fields: [(name: String, value: String)]
  let lines: CurlList

  /// Fails if a field would break out of its line, or if memory has run out.
  init(_ fields: [(name: String, value: String)]) throws(TransportFailure) {
    self.fields = fields
    lines = try CurlList(Self.lines(for: fields))
  }

  func holds(_ others: [(name: String, value: String)]) -> Bool {
    Self.isSameArray(fields, others) || fields.elementsEqual(others, by: ==)
  }

  /// True if two arrays share their storage: the requests of a list mostly carry the very array of the one before.
  private static func isSameArray(_ one: [(name: String, value: String)], _ other: [(name: String, value: String)])
    -> Bool
  {
    // Proof: the addresses are compared, not dereferenced. Both arrays are alive, so two different ones have different
    // addresses.
    unsafe one.withUnsafeBufferPointer { one in
      unsafe other.withUnsafeBufferPointer { other in
        unsafe one.baseAddress == other.baseAddress && one.count == other.count
      }
    }
  }

  /// The lines in libcurl's syntax, in which a colon with nothing behind it means "leave this field out" and a
  /// semicolon "send it empty". The Accept that libcurl would add by itself is left out.
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

  /// Checks fields given as bytes, whose names are known to be tokens.
  static func areSafe(_ fields: HeaderFields) -> Bool {
    var areSafe = true
    fields.forEachLine { _, value in areSafe = areSafe && RequestText.isFieldValue(value.span) }
    return areSafe
  }

  private static func isSafe(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(HeaderFields.isToken) && RequestText.isFieldValue(value)
  }
}

/// Lines as the linked list that libcurl takes. libcurl keeps the pointer and makes no copy, so the list must be kept
/// alive until the handle gets another one or is cleaned up.
@safe
final class CurlList {
  private typealias Node = curl_slist

  let list: UnsafeMutablePointer<curl_slist>?
  /// The list that follows the lines of this one.
  private let rest: CurlList?
  /// The block that holds this list's nodes and texts, or nil if libcurl allocated each.
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

  /// Fields byte for byte, none of which holds NUL, followed by a list that many requests share. They are in one block
  /// of memory, because the conditions on a stored image differ for each request, and adding them line by line is slow.
  init(_ exact: HeaderFields, before rest: CurlList) {
    var size = unsafe exact.count * MemoryLayout<Node>.stride
    exact.forEachLine { name, value in size += name.count + 2 + value.count + 1 }
    // Proof: the nodes come first, aligned as the block is. The texts follow; their lengths were added up above by the
    // same walk. All of it is written before libcurl sees it, which only reads. The last node points to the first of
    // `rest`, which lives as long as this.
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
