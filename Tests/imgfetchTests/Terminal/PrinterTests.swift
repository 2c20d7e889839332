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
