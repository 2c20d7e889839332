import Foundation

/// A server without the library, to compare: it starts the program for each answer, on the same cache.
struct Shelling: Sendable {
  let program: String
  let cache: String

  func thumbnail(_ url: String, width: Int, height: Int) -> (status: Int, mime: String, body: [UInt8]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "get", "-q", "--no-config", "--cache-dir", cache, "--resize", "\(width)x\(height)", "-o", "-", url,
    ]
    let output = Pipe()
    process.standardOutput = output
    do { try process.run() } catch { return (502, "text/plain", Array("\(error)".utf8)) }
    let body = (try? output.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? (200, "image/jpeg", Array(body)) : (502, "text/plain", [])
  }
}
