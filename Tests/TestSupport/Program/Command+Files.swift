import Foundation
import Glibc
import ImgfetchCore

// Files as a user finds them, for tests that look at what a program did to them.
extension Command {
  /// All bytes of a file, or nil if it cannot be read.
  package static func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
    return bytes
  }

  package static func text(of path: String) -> String? {
    contents(of: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The names in a folder.
  package static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// The length of a file, or nil if there is none.
  package static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Cuts a file to that length, or makes it as long; false if there is none.
  @discardableResult
  package static func truncate(_ path: String, to length: Int) -> Bool { Glibc.truncate(path, length) == 0 }

  /// True if a file has an extended attribute.
  package static func hasAttribute(_ name: String, at path: String) -> Bool {
    (try? Descriptor.open(path, .read))?.attribute(name) != nil
  }

  /// True if the file is locked.
  package static func isLocked(_ path: String) -> Bool {
    guard let file = try? Descriptor.open(path, .readWrite) else { return false }
    return (try? file.tryLock()) == false
  }

  /// Other bytes into the file that is there: its inode stays.
  package static func overwrite(_ path: String, with bytes: [UInt8]) throws {
    guard let file = fopen(path, "r+") else { throw CommandError("\(path) cannot be written") }
    defer { fclose(file) }
    ftruncate(fileno(file), 0)
    _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
  }

  /// A symbolic link in the place of a file.
  package static func replace(path: String, withLinkTo target: String) throws {
    unlink(path)
    guard symlink(target, path) == 0 else { throw CommandError("\(path) cannot be made a link") }
  }

  /// One file into the place of another, in one step.
  package static func move(_ path: String, to target: String) throws {
    guard rename(path, target) == 0 else { throw CommandError("\(path) cannot be moved") }
  }

  /// A named pipe.
  package static func makePipe(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 else { throw CommandError("\(path) cannot be made a pipe") }
  }

  /// The identity of a file, and the time of its last change: the same for an untouched file.
  package static func identity(of path: String) throws -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw CommandError("\(path) is not there") }
    return [Int(status.st_ino), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), Int(status.st_ctim.tv_nsec)]
  }
}

/// JSON as a test reads it.
package enum JSON {
  package typealias Null = NSNull

  package static func object(_ line: String) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      throw CommandError("not an object: \(line)")
    }
    return object
  }
}

// The changes that a test makes behind a program's back.
extension Command {
  /// Has a file stored and used `days` days ago.
  package static func setTimes(of path: String, daysAgo days: Double) throws {
    let moment = timeval(tv_sec: time(nil) - Int(days * 86_400), tv_usec: 0)
    guard utimes(path, [moment, moment]) == 0 else { throw CommandError("\(path): its times cannot be set") }
  }

  /// The permissions of a file.
  package static func mode(of path: String) throws -> mode_t {
    var status = stat()
    guard stat(path, &status) == 0 else { throw CommandError("\(path) is not there") }
    return status.st_mode & 0o7777
  }

  package static func setMode(of path: String, _ mode: mode_t) throws {
    guard chmod(path, mode) == 0 else { throw CommandError("\(path): its mode cannot be set") }
  }

  /// A lock on a file, held as long as the answer lives.
  package static func lock(_ path: String) throws -> SharedDescriptor {
    let file = SharedDescriptor(try Descriptor.open(path, .read))
    guard try file.file.tryLock() else { throw CommandError("\(path) is locked already") }
    return file
  }
}
