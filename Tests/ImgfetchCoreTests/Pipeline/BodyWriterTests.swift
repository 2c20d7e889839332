import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("A body that is written to a place in a file of several") struct BodyWriterTests {
  private let folder: TemporaryFolder
  private let image = TestImages.jpeg(bytes: 300_000)

  init() throws { folder = try TemporaryFolder() }

  private func writer(into place: LentFile) throws -> BodyWriter {
    BodyWriter(
      url: try WebURL("http://example.org/a.jpg"), options: SharedOptions(FetchOptions()), part: nil,
      spool: BodyWriter.Spool(folder: "/nonexistent", lend: { place }), formats: [], stream: nil, flight: 1,
      observers: FlightObservers(Guarded(FlightTable())))
  }

  private func spool() throws -> SharedDescriptor {
    SharedDescriptor(try TemporaryFile.anonymous(in: folder.path))
  }

  @Test("It stays within its place, and is read from there")
  func place() throws {
    let file = try spool()
    let writer = try writer(into: LentFile(file, in: "x", from: 1000, room: Int64(image.count)))
    for at in stride(from: 0, to: image.count, by: 50_000) {
      try writer.write(Array(image[at..<min(image.count, at + 50_000)]))
    }
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
    #expect(throws: FetchError.self) {
      for at in stride(from: 0, to: image.count, by: 50_000) { try writer.write(Array(image[at..<at + 50_000])) }
    }
    #expect(try file.file.status().size <= 200_000)
  }

  @Test("A place is lent for any image but one that claims to be enormous")
  func lending() throws {
    let shard = OpenShard(ShardName(number: 0), spoolIn: folder.path, at: Instant(nanoseconds: 0))
    let (first, second) = (shard.lend(length: 5000), shard.lend(length: 7000))
    #expect(first?.start == 0 && first?.room == 5000 && second?.start == 5000 && second?.room == 7000)
    #expect(first?.file === second?.file)
    #expect(shard.lend(length: 1 << 40) == nil)
  }
}
