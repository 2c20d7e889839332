import ImgfetchCore
import ImgfetchDataSet

/// Counts over the rows of a shard, which are written beside it as NUMBER.json. The same rows give the same bytes.
struct ShardStatistics {
  private var images = 0
  private var failed = 0
  private var duplicates = 0
  private var bytes: Int64 = 0
  private var formats: [String: Int] = [:]
  private var kinds: [String: Int] = [:]
  /// A record without a URL has no host, and is counted among the kinds of failure only.
  private var hosts: [String: (images: Int, failed: Int)] = [:]
  private var consent: [String: Int] = [:]
  /// The counts by powers of two: of the pixels of the longer side, and of bytes.
  private var sides: [Int: Int] = [:]
  private var sizes: [Int: Int] = [:]

  static func file(of shard: ShardName) -> String { shard.text + ".json" }

  init(_ shard: StandingShard) throws(ShardFailure) { try shard.rows { row in add(row) } }

  private mutating func add(_ row: ArraySlice<UInt8>) {
    let members = JSONMembers.read(row) ?? []
    func value(_ name: String) -> ArraySlice<UInt8>? { members.last { $0.name == name }?.value }
    let host = value("url").flatMap(JSONMembers.text).flatMap { try? WebURL($0) }?.origin.hostAndPort
    if let stated = value("consent").flatMap(JSONMembers.read)?.first(where: { $0.name == "verdict" }) {
      consent[JSONMembers.text(of: stated.value) ?? "", default: 0] += 1
    }
    if let error = value("error").flatMap(JSONMembers.read) {
      failed += 1
      if let host { hosts[host, default: (0, 0)].failed += 1 }
      let kind = error.first { $0.name == "kind" }.flatMap { JSONMembers.text(of: $0.value) } ?? ""
      let status = error.first { $0.name == "status" }.flatMap { Self.number($0.value) }
      kinds[status.map { "\(kind) \($0)" } ?? kind, default: 0] += 1
      return
    }
    // Another image stands for it.
    if value("duplicate_of") != nil { return duplicates += 1 }
    images += 1
    if let host { hosts[host, default: (0, 0)].images += 1 }
    formats[value("format").flatMap(JSONMembers.text) ?? "", default: 0] += 1
    let size = value("bytes").flatMap(Self.number) ?? 0
    bytes &+= size
    sizes[Self.power(of: size), default: 0] += 1
    sides[
      Self.power(of: max(value("width").flatMap(Self.number) ?? 0, value("height").flatMap(Self.number) ?? 0)),
      default: 0] += 1
  }

  private static func number(_ value: ArraySlice<UInt8>) -> Int64? {
    value.count <= 18 ? Int64(String(decoding: value, as: UTF8.self)) : nil
  }

  /// The power of two that is not above a number; 0 for 0.
  private static func power(of number: Int64) -> Int {
    number <= 0 ? 0 : 1 << (Int64.bitWidth - 1 - number.leadingZeroBitCount)
  }

  /// One object.
  func text(of shard: ShardName) -> [UInt8] {
    var text: [UInt8] = []
    ObjectWriter.appendLine(to: &text) { object in
      object.text("shard", shard.text)
      object.number("rows", images + failed + duplicates)
      object.number("images", images)
      object.number("failed", failed)
      object.number("bytes", bytes)
      if duplicates > 0 { object.number("duplicates", duplicates) }
      Self.append("formats", formats, to: &object)
      Self.append("kinds", kinds, to: &object)
      Self.append("consent", consent, to: &object)
      Self.append("longer_side_from", sides, to: &object)
      Self.append("bytes_from", sizes, to: &object)
      object.object("hosts") {
        for (host, count) in hosts.sorted(by: { $0.key < $1.key }) {
          $0.object(host) {
            $0.number("images", count.images)
            $0.number("failed", count.failed)
          }
        }
      }
    }
    return text
  }

  private static func append<Key: Comparable>(_ name: String, _ counts: [Key: Int], to object: inout ObjectWriter) {
    object.object(name) { for (key, count) in counts.sorted(by: { $0.key < $1.key }) { $0.number("\(key)", count) } }
  }
}

extension ShardStore {
  /// Puts the counts beside a shard, unless they are there.
  ///
  /// - Parameter isNew: True if the shard was made just now, so that existing counts are of another one.
  func addStatistics(of shard: StandingShard, isNew: Bool) throws(ShardFailure) {
    let file = ShardStatistics.file(of: shard.name)
    if !isNew, try has(file) { return }
    try add(try ShardStatistics(shard).text(of: shard.name), as: file)
  }
}
