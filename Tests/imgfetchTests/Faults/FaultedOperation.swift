import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

/// Something that the program is to do, of which each system call goes wrong in turn.
enum FaultedOperation: String, CaseIterable, Codable, Sendable {
  /// Nothing is there yet.
  case store
  case hit
  /// A stale entry that the origin confirms.
  case confirm
  /// The same, with other fields than are stored.
  case amend
  /// A stale entry in whose place the origin has another image.
  case renew
  /// A part of a download that was broken off, of which the origin sends the rest.
  case resume
  /// Three images of a list, one of them in the place of another file, one of a file that holds it already.
  case outputs

  /// The names that the run asks for.
  var names: [String] { self == .outputs ? ["a.jpg", "b.jpg", "c.jpg"] : ["a.jpg"] }

  static func image(_ name: String, isNew: Bool = true) -> [UInt8] { images[isNew ? name : "old \(name)"] ?? [] }

  /// Made once: that takes longer than a run.
  static let images: [String: [UInt8]] = {
    let names = ["a.jpg", "b.jpg", "c.jpg"].flatMap { [$0, "old \($0)"] }
    // Too large to be held in memory while it comes: a part is written to.
    let images = names.enumerated().map { TestImages.jpeg(bytes: 100_000, seed: UInt64($0.offset)) }
    return Dictionary(uniqueKeysWithValues: zip(names, images))
  }()

  /// Has a server answer as it needs, under a path of its own.
  func serve(on server: TestServer) {
    for name in names {
      let new = Resource(Self.image(name), etag: "\"new\"")
      let old = Resource(Self.image(name, isNew: self != .renew), etag: self == .renew ? "\"old\"" : "\"new\"")
      server.on("/\(rawValue)/\(name)") { request in
        if request.ordinal > 1 {
          return self == .amend ? new.answer(request).with("X-Cache", "hit") : new.answer(request)
        }
        return self == .resume ? old.answer(request).cutAfter(60_000) : old.answer(request)
      }
    }
  }

  func urls(_ origin: String) -> [String] { names.map { "\(origin)/\(rawValue)/\($0)" } }

  /// The folder as it is before each of the runs.
  func prepared(_ origin: String) throws -> TemporaryFolder {
    let place = try FaultedRun.place()
    guard self != .store else { return place }
    let code = try FaultedRun(["prefetch", "--retry", "0"] + urls(origin), in: place).exitCode
    guard code == (self == .resume ? 3 : 0) else {
      throw CommandError("\(self) cannot be prepared: exit \(code ?? -1)")
    }
    if [.confirm, .amend, .renew].contains(self) {
      for file in place.files(in: "home/.cache/imgfetch/v1/default") where file != "ledger" {
        try Command.setTimes(of: place.path("home/.cache/imgfetch/v1/default/\(file)"), daysAgo: 30)
      }
    }
    for name in names {
      if let before = before(name) { try place.write("work/\(name)", before) }
    }
    return place
  }

  /// The contents of the output file before, or nil if there is none.
  func before(_ name: String) -> [UInt8]? {
    switch (self, name) {
    case (.outputs, "a.jpg"), (.renew, _): Self.image(name, isNew: false)
    case (.outputs, "b.jpg"): Self.image(name)
    default: nil
    }
  }

  func run(
    _ origin: String, in place: TemporaryFolder, at ordinal: Int? = nil, _ fault: Fault = .end,
    on kind: FileSystemKind = .complete
  ) throws -> FaultedRun {
    let arguments = ["get", "--retry", "0", "--no-auto-clean"]
    return try FaultedRun(
      arguments + (self == .outputs ? ["--overwrite"] : ["-o", "a.jpg"]) + urls(origin), in: place, at: ordinal, fault,
      on: kind)
  }
}
