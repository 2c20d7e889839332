import Foundation
import ImgfetchCore

/// `thumbnail-server PORT CACHE`: answers `GET /WIDTHxHEIGHT/URL` with a small picture of the one at that URL.
@main
struct ThumbnailServer {
  static func main() throws {
    guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[1]) else {
      FileHandle.standardError.write(Data("usage: thumbnail-server PORT CACHE\n".utf8))
      exit(2)
    }
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = CommandLine.arguments[2]
    configuration.memoryLimit = 64 << 20
    let fetcher = Fetcher(configuration)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (yes, address) = (Int32(1), sockaddr_in())
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let isListening = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 512) == 0
      }
    }
    guard isListening else { exit(1) }
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      Thread.detachNewThread { serve(connection, fetcher) }
    }
  }

  static func serve(_ connection: Int32, _ fetcher: Fetcher) {
    var head: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while head.suffix(4) != [13, 10, 13, 10] {
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { return _ = close(connection) }
      head += piece.prefix(count)
    }
    let target = String(decoding: head.split(separator: 32).dropFirst().first ?? [], as: UTF8.self)
    Task {
      let (status, mime, body) = await thumbnail(target, fetcher)
      let answer =
        "HTTP/1.1 \(status) -\r\nContent-Type: \(mime)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
      let bytes = Array(answer.utf8) + body
      _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      close(connection)
    }
  }

  static func thumbnail(_ target: String, _ fetcher: Fetcher) async -> (status: Int, mime: String, body: [UInt8]) {
    let parts = target.split(separator: "/", maxSplits: 1).map(String.init)
    let sides = parts.first?.split(separator: "x").compactMap { Int($0) } ?? []
    guard parts.count == 2, sides.count == 2 else { return (400, "text/plain", []) }
    do throws(FetchError) {
      let image = try await fetcher.thumbnail(for: parts[1], width: sides[0], height: sides[1])
      return (200, image.mime, image.bytes)
    } catch { return (502, "text/plain", Array(error.message.utf8)) }
  }
}
