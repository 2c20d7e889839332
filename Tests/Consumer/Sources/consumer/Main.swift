import Foundation
import ImgfetchCore

/// Uses the library as a program does that has nothing but its public face. Ends with 1 if anything is not as promised.
@main
struct Consumer {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] =
    [
      Asking.checks, Flying.checks, Sequences.checks, Transporting.checks, Pixels.checks, Caches.checks,
      Deciding.checks,
      Documented.checks, SDWebImage.checks, Closing.checks,
    ].flatMap { $0 }

  static func main() async {
    var failures = 0
    for check in checks {
      do { try await check.run() } catch {
        failures += 1
        print("failed: \(check.name): \(error)")
      }
    }
    print("\(checks.count) checks of the library from another package, \(failures) failed")
    exit(failures == 0 ? 0 : 1)
  }
}

/// The smallest whole GIF, and one more byte for each number, so that they differ.
func tinyGIF(_ number: Int = 0) -> [UInt8] {
  let head: [UInt8] = [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, UInt8(number % 256), 0, 0, 0, 0, 0]
  return head + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
}

/// A folder that is removed afterwards.
func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "imgfetch-consumer-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}
