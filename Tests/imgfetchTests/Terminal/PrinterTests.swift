import Foundation
import ImgfetchCore
import Testing
import TestSupport

@testable import imgfetch

@Suite struct PrinterTests {
  @Test func eachLineGoesOutAtOnceWhereSomebodyWaits() throws {
    let place = try TemporaryFolder()
    let printer = Printer(SharedDescriptor(try .open(place.path("out"), [.write, .create])), flushing: .eachLine)
    printer.print("one")
    #expect(place.text("out") == "one\n")
  }

  @Test func linesAreHeldUntilThereAreEnoughOrTheyAreFlushed() throws {
    let place = try TemporaryFolder()
    let printer = Printer(SharedDescriptor(try .open(place.path("out"), [.write, .create])), flushing: .whenFull)
    printer.print("one")
    #expect(place.text("out") == "")
    printer.flush()
    #expect(place.text("out") == "one\n")
    for _ in 0..<3 { printer.print(String(repeating: "x", count: 30_000)) }
    #expect(place.read("out")?.count == 4 + 3 * 30_001)
  }

  /// Reads the written text, one piece for each write.
  private func pieces(_ print: (Printer) -> Void) throws -> [String] {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    defer { close(ends[0]) }
    let printer = Printer(SharedDescriptor(Descriptor(owning: ends[1])), flushing: .whenFull)
    print(printer)
    printer.flush()
    try #require(printer.failure == nil)
    var pieces: [String] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(ends[0], &piece, piece.count, Int32(MSG_DONTWAIT))
      if count <= 0 { return pieces }
      pieces.append(String(decoding: piece.prefix(count), as: UTF8.self))
    }
  }

  @Test func rowsLeaveInPiecesThatAPipeTakesWholeAndThatEndWithARow() throws {
    let rows = (0..<500).map { String(repeating: "\($0 % 10)", count: 1 + $0 * 7 % 300) + "\n" }
    let pieces = try pieces { printer in for row in rows { printer.print { $0.append(text: row) } } }
    #expect(pieces.joined() == rows.joined())
    #expect(pieces.allSatisfy { $0.utf8.count <= 4096 && $0.hasSuffix("\n") })
    // Not one by one either: a write costs more than a row.
    #expect(pieces.count < rows.joined().utf8.count / 3500)
  }

  @Test func aRowLongerThanAPieceGoesOutWithOneWrite() throws {
    let rows = [100, 5000, 4096, 4095, 1, 20_000, 3].map { String(repeating: "x", count: $0 - 1) + "\n" }
    let pieces = try pieces { printer in for row in rows { printer.print { $0.append(text: row) } } }
    #expect(pieces.map(\.utf8.count) == [100, 5000, 4096, 4096, 20_000, 3])
  }

  @Test func aFullDiskIsRememberedAndNothingMoreIsTried() throws {
    let printer = Printer(SharedDescriptor(try .open("/dev/full", [.write])), flushing: .eachLine)
    printer.print("one")
    printer.print("two")
    #expect(printer.failure?.code == .noSpace)
  }

  @Test func linesOfSeveralThreadsAreNotMixed() throws {
    let place = try TemporaryFolder()
    let printer = Printer(SharedDescriptor(try .open(place.path("out"), [.write, .create])), flushing: .whenFull)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for _ in 0..<500 { printer.print(String(repeating: "\(number)", count: 50)) }
    }
    printer.flush()
    let lines = try #require(place.text("out")).split(separator: "\n")
    #expect(lines.count == 4000)
    #expect(lines.allSatisfy { Set($0).count == 1 && $0.count == 50 })
  }
}
