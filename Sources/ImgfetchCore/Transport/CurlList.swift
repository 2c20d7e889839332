import CCurlShim

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
        throw TransportFailure(.resources, "there is not enough memory")
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
