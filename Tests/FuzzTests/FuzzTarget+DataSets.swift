import ImgfetchCore

@testable import ImgfetchDataSet

// The shards that other attempts have written, and the words of owners about the use of their images.
extension FuzzTarget {
  static let dataSets = [
    FuzzTarget(
      "shard",
      words: [
        "__imgfetch__/job", "__imgfetch__/failed", "__imgfetch__/end", "{\"record\":\"", "9223372036854775807",
        "77777777777",
        "\"failed_offset\":", "\"failed_bytes\":", "size=", "ustar", "{\"job\":",
      ]
    ) { bytes in
      let file = ShardBytes(size: Int64(bytes.count)) { (offset, count) throws(ShardFailure) in
        guard offset >= 0, offset < Int64(bytes.count), count > 0 else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
      }
      guard let shard = try? StandingShard(file, ShardName(number: 0), path: "shard") else { return }
      var rows = 0
      do throws(ShardFailure) {
        try shard.rows { row in
          rows += 1
          if let record = RetryPlan.record(ofRow: row) { _ = record + 1 }
        }
      } catch { return }
      try Fault.unless(rows >= shard.end.failed, "fewer rows than failed lines")
    },
    FuzzTarget(
      "consent",
      words: [
        "User-Agent: *\n", "Content-Signal: ", "Content-Usage: /", "ai-train=no", "train-ai=n", "Disallow: /*",
        "plus:DataMining=\"",
        "http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED", "c2pa.training-mining", "cbor", "c2pa.ai_training",
        "notAllowed",
      ]
    ) { bytes in
      var said = OriginConsent()
      said.add(robots: bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      for purpose in UsePurpose.allCases {
        _ = said.consent(to: "/a/b.jpg?c=d", for: purpose)
        _ = Consent(StatedUse.contentUsage(text), for: purpose, .contentUsage, text)
        _ = Consent(StatedUse.contentSignal(text), for: purpose, .robots, text)
        for format in [ImageFormat.jpeg, .png, .webp, .tiff] {
          _ = ImageStatements.consent(in: ImageBody(.bytes(bytes)), format, for: purpose)
        }
      }
    },
  ]
}
