import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Temporary files: whole or not at all")
struct TemporaryFileTests {
  private func names(in folder: TemporaryFolder) throws -> [String] {
    try Descriptor.folder(folder.path).names().sorted()
  }

  @Test("A file that is dropped leaves nothing behind", arguments: [true, false])
  func dropped(named: Bool) throws {
    let folder = try TemporaryFolder()
    do {
      let file = try TemporaryFile(in: .folder(folder.path), named: named)
      try file.descriptor.write([1, 2, 3].span)
    }
    #expect(try names(in: folder) == [])
  }

  @Test("A published file is complete under its name, and nothing is left beside it", arguments: [true, false])
  func published(named: Bool) throws {
    let folder = try TemporaryFolder()
    let file = try TemporaryFile(in: .folder(folder.path), named: named)
    try file.descriptor.write([1, 2, 3].span)
    try file.publish(as: "image", replacing: false)
    #expect(try names(in: folder) == ["image"])
    var bytes: [UInt8] = []
    _ = try Descriptor.open(folder.path + "/image", .read).read(into: &bytes, count: 10)
    #expect(bytes == [1, 2, 3])
  }

  @Test("A taken name is replaced only if that is asked for", arguments: [true, false])
  func taken(named: Bool) throws {
    let folder = try TemporaryFolder()
    for content: UInt8 in [1, 2] {
      let file = try TemporaryFile(in: .folder(folder.path), named: named)
      try file.descriptor.write([content].span)
      try file.publish(as: "image", replacing: true)
    }
    #expect(throws: SystemError.self) {
      let third = try TemporaryFile(in: .folder(folder.path), named: named)
      try third.publish(as: "image", replacing: false)
    }
    #expect(try names(in: folder) == ["image"])
    var bytes: [UInt8] = []
    _ = try Descriptor.open(folder.path + "/image", .read).read(into: &bytes, count: 10)
    #expect(bytes == [2])
  }
}
