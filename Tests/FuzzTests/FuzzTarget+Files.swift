@testable import ImgfetchCore

// The files of a damaged cache, and the messages of a helper that an attacker controls.
extension FuzzTarget {
  static let files = [
    FuzzTarget("entry") { bytes in
      _ = EntryMetadata.read(bytes, in: 0..<bytes.count, expected: nil)
      guard case .footer(let footer) = EntryFooter.read(bytes, fileLength: Int64(bytes.count)) else { return }
      let start = Int(footer.bodyLength)
      try Fault.unless(start + footer.metadataLength + EntryFooter.length == bytes.count, "parts that do not add up")
      _ = EntryMetadata.read(bytes, in: start..<start + footer.metadataLength, expected: nil)
    },
    FuzzTarget("resume", words: ["http://", "\"", "Sun, 06 Nov 1994 08:49:37 GMT"]) { bytes in
      guard let record = ResumeRecord(encoded: bytes) else { return }
      _ = Resumption(record, length: 100, now: WallTime(seconds: 1_767_225_600))
    },
    FuzzTarget("helper") { bytes in
      _ = SandboxMessage.Job(bytes)
      if let reply = SandboxMessage.Reply(Array(bytes.prefix(SandboxMessage.Reply.size))) {
        _ = reply.result(Array(bytes.dropFirst(SandboxMessage.Reply.size)), .png)
      }
      guard let transform = ImageTransform(encoded: bytes) else { return }
      try Fault.unless(ImageTransform(encoded: transform.encoded)?.encoded == transform.encoded, "another transform")
    },
  ]
}
