import Foundation
import ImgfetchCore

/// `thumbnail-server PORT CACHE [PROGRAM]`: answers `GET /WIDTHxHEIGHT/URL` with a small picture of the one at that
/// URL. With a program it starts that for each, instead of using the library.
@main
struct ThumbnailServer {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard (3...4).contains(arguments.count), let port = UInt16(arguments[1]), let listener = listen(on: port) else {
      FileHandle.standardError.write(Data("usage: thumbnail-server PORT CACHE [PROGRAM]\n".utf8))
      exit(2)
    }
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = arguments[2]
    configuration.memoryLimit = 64 << 20
    let fetcher = Fetcher(configuration)
    let shelling = arguments.count == 4 ? Shelling(program: arguments[3], cache: arguments[2]) : nil
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      Thread.detachNewThread { serve(connection, fetcher, shelling) }
    }
  }

  static func serve(_ connection: Int32, _ fetcher: Fetcher, _ shelling: Shelling?) {
    var head: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while head.suffix(4) != [13, 10, 13, 10] {
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { return _ = close(connection) }
      head += piece.prefix(count)
    }
    let target = String(decoding: head.split(separator: 32).dropFirst().first ?? [], as: UTF8.self)
    Task {
      let (status, mime, body) = await thumbnail(target, fetcher, shelling)
      let answer =
        "HTTP/1.1 \(status) -\r\nContent-Type: \(mime)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
      let bytes = Array(answer.utf8) + body
      _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      close(connection)
    }
  }

  static func thumbnail(
    _ target: String, _ fetcher: Fetcher, _ shelling: Shelling?
  ) async -> (status: Int, mime: String, body: [UInt8]) {
    let parts = target.split(separator: "/", maxSplits: 1).map(String.init)
    let sides = parts.first?.split(separator: "x").compactMap { Int($0) } ?? []
    guard parts.count == 2, sides.count == 2 else { return (400, "text/plain", []) }
    if let shelling { return shelling.thumbnail(parts[1], width: sides[0], height: sides[1]) }
    do throws(FetchError) {
      let image = try await fetcher.thumbnail(for: parts[1], width: sides[0], height: sides[1])
      return (200, image.mime, image.bytes)
    } catch { return (502, "text/plain", Array(error.message.utf8)) }
  }
}
