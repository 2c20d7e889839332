import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Where a body is written while it comes") struct BodyWriterTests {
  private let folder: TemporaryFolder
  private let image = TestImages.jpeg(bytes: 300_000)

  init() throws { folder = try TemporaryFolder() }

  private func writer(_ part: Part? = nil, into place: LentFile?) throws -> BodyWriter {
    BodyWriter(
      url: try WebURL("http://example.org/a.jpg"), options: SharedOptions(FetchOptions()), part: part,
      spool: BodyWriter.Spool(folder: "/nonexistent", lend: { place }), formats: [], flight: 1,
      observers: FlightObservers(Guarded(FlightTable())))
  }

  private func spool() throws -> SharedDescriptor {
    SharedDescriptor(try TemporaryFile.anonymous(in: folder.path))
  }

  private func write(_ bytes: [UInt8], by writer: BodyWriter) throws {
    for at in stride(from: 0, to: bytes.count, by: 50_000) {
      try writer.write(Array(bytes[at..<min(bytes.count, at + 50_000)]))
    }
  }

  @Test("What is cached goes to the sink's file, too, and need not be read again", arguments: [300_000, 200_000])
  func both(room: Int) throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPrivatePart(CacheKey(url: "http://example.org/a.jpg")).part)
    let file = try spool()
    let writer = try writer(part, into: LentFile(file, in: "x", room: Int64(room)))
    try write(image, by: writer)
    guard case .part(_, let copy) = try writer.finish().content else {
      Issue.record("it is not in the part")
      return
    }
    #expect(try part.body.bytes() == image)
    // Where there is no room for all of it, the cache has it alone.
    #expect((copy != nil) == (room == image.count))
    if let copy { #expect(try ImageBody(.file(copy.holding(Int64(image.count)))).bytes() == image) }
    part.abandon(keepForResume: false)
  }

  @Test("A small body, and one for which no file is lent, are in one place")
  func one() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPrivatePart(CacheKey(url: "http://example.org/a.jpg")).part)
    let writer = try writer(part, into: nil)
    try write(image, by: writer)
    guard case .part(_, nil) = try writer.finish().content else {
      Issue.record("it is not in the part alone")
      return
    }
    part.abandon(keepForResume: false)
    let small = TestImages.jpeg(bytes: 20_000)
    let other = try self.writer(into: LentFile(try spool(), in: "x"))
    try write(small, by: other)
    guard case .memory(small) = try other.finish().content else {
      Issue.record("it is not in memory")
      return
    }
  }

  @Test("It stays within its place, and is read from there")
  func place() throws {
    let file = try spool()
    let writer = try writer(into: LentFile(file, in: "x", from: 1000, room: Int64(image.count)))
    try write(image, by: writer)
    guard case .file(let place, _, _) = try writer.finish().content else {
      Issue.record("it is in no file")
      return
    }
    #expect(place.file === file)
    #expect(try file.file.status().size == Int64(1000 + image.count))
    let body = ImageBody(.file(place.holding(Int64(image.count))))
    #expect(try body.bytes() == image && body.bytes(from: 10, atMost: 5) == Array(image[10..<15]))
  }

  @Test("What is longer than it was to be is refused, and touches nothing behind its place")
  func room() throws {
    let file = try spool()
    let writer = try writer(into: LentFile(file, in: "x", from: 0, room: 200_000))
    #expect(throws: FetchError.self) { try write(image, by: writer) }
    #expect(try file.file.status().size <= 200_000)
  }
}
