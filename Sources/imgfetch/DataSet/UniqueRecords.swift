import ImgfetchCore
import ImgfetchDataSet
import ImgfetchReport

/// Finds the images of a shard that another one stands for, in the order of the list, so that the same bytes make the
/// same shard (`pack --unique`).
final class UniqueRecords: Sendable {
  private struct Marks: Sendable {
    let record: Int
    let sha256: [UInt8]
    /// The looks; nil if bytes decide.
    let looks: Looks?
  }

  private let rule: DuplicateRule
  /// The images of the shards that are open.
  private let marks = Guarded<[ShardName: [Marks]]>([:])

  init(_ rule: DuplicateRule) { self.rule = rule }

  /// Notes an image that was had.
  func add(_ result: FetchResult, _ record: Int, of shard: ShardName) {
    guard result.error == nil, let sha256 = result.sha256 else { return }
    let looks = Looks(result.details, result.facts)
    marks.withLock { $0[shard, default: []].append(Marks(record: record, sha256: sha256, looks: looks)) }
  }

  /// The records of a complete shard whose images are those of earlier ones, with the keys of these.
  func duplicates(of shard: ShardName) -> [Int: String] {
    let images = marks.withLock { $0.removeValue(forKey: shard) } ?? []
    var first: [[UInt8]: Int] = [:]
    var looks = LooksIndex(rule.looks ?? LooksRule())
    var records: [Int] = []
    var duplicates: [Int: String] = [:]
    for image in images.sorted(by: { $0.record < $1.record }) {
      let look = image.looks.flatMap { $0.areTelling ? $0 : nil }
      let alike = look.flatMap { looks.first($0) }.map { records[$0] }
      if let earlier = [first[image.sha256], alike].compactMap(\.self).min() {
        duplicates[image.record] = ShardWriter.key(earlier)
        continue
      }
      first[image.sha256] = image.record
      if let look {
        looks.add(look)
        records.append(image.record)
      }
    }
    return duplicates
  }
}
