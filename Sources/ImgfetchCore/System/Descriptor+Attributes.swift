import CPosixShim
import Glibc
import Synchronization

// Extended attributes: small facts that live and die with the inode.
//
// Proof for all of them: the pointers are used during the call only, for as many bytes as they are said to lead to.
extension Descriptor {
  /// The attribute's bytes, nil if there is none (or the file system has no such thing). At most 4 KiB.
  package borrowing func attribute(_ name: String) -> [UInt8]? {
    let raw = self.raw
    return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer -> [UInt8]? in
      guard
        let count = try? SystemCall.getxattr.perform({
          unsafe imgfetch_fgetxattr(raw, name, buffer.baseAddress, buffer.count)
        })
      else { return nil }
      return unsafe [UInt8](buffer.prefix(Int(count)))
    }
  }

  package borrowing func setAttribute(_ name: String, to value: [UInt8]) throws(SystemError) {
    _ = try SystemCall.setxattr.perform { unsafe imgfetch_fsetxattr(raw, name, value, value.count) }
  }

  package borrowing func removeAttribute(_ name: String) {
    let raw = self.raw
    SystemCall.removexattr.attempt { unsafe imgfetch_fremovexattr(raw, name) }
  }
}

/// An attribute's value of one certain length: read for each output of a list, it makes no array.
package typealias AttributeWords = InlineArray<7, UInt64>

extension Descriptor {
  /// The attribute of this file; nil: there is none, or none of this length.
  package borrowing func words(of attribute: String) throws(SystemError) -> AttributeWords? {
    let raw = self.raw
    return try unsafe Self.words { (value, length) throws(SystemError) in
      try SystemCall.getxattr.perform {
        unsafe attribute.withCString { unsafe imgfetch_fgetxattr(raw, $0, value, length) }
      }
    }
  }

  /// The attribute of a file in this folder, with one call where the kernel has it; a link is not followed.
  package borrowing func words(of attribute: String, on name: String) throws(SystemError) -> AttributeWords? {
    let raw = self.raw
    if Self.readsByName.load(ordering: .relaxed) {
      do {
        return try unsafe Self.words { (value, length) throws(SystemError) in
          try SystemCall.getxattrat.perform(path: name) {
            unsafe attribute.withCString { attribute in
              unsafe name.withCString { unsafe imgfetch_getxattrat(raw, $0, attribute, value, length) }
            }
          }
        }
      } catch {
        // Kernels before 6.13 do not know it, and what shuts a container in forbids what it does not know.
        guard error.code == .notImplemented || error.code == .notPermitted else { throw error }
        Self.readsByName.store(false, ordering: .relaxed)
      }
    }
    return try open(name, [.read, .noFollow, .nonBlocking]).words(of: attribute)
  }

  private static let readsByName = Atomic<Bool>(true)

  private static func words(
    _ get: (UnsafeMutableRawPointer, Int) throws(SystemError) -> Int32
  ) throws(SystemError) -> AttributeWords? {
    var words = AttributeWords(repeating: 0)
    let length = MemoryLayout<AttributeWords>.size
    do throws(SystemError) {
      let count = try unsafe withUnsafeMutableBytes(of: &words) { (bytes) throws(SystemError) -> Int32 in
        guard let base = bytes.baseAddress else { return 0 }
        return try unsafe get(base, length)
      }
      return Int(count) == length ? words : nil
    } catch {
      if error.code == .noAttribute || error.code == .outOfRange { return nil }
      throw error
    }
  }

  package borrowing func setAttribute(_ name: String, to words: AttributeWords) throws(SystemError) {
    let raw = self.raw
    _ = try unsafe withUnsafeBytes(of: words) { (bytes) throws(SystemError) in
      try SystemCall.setxattr.perform {
        unsafe name.withCString { unsafe imgfetch_fsetxattr(raw, $0, bytes.baseAddress, bytes.count) }
      }
    }
  }
}
