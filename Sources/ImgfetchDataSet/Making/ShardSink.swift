import ImgfetchCore

/// Puts one line's image into its shard, unless its owner does not want that.
package struct ShardSink: LendingSink {
  private let shard: OpenShard
  /// The number of the line's record.
  private let record: Int
  private let consent: ConsentNote
  private let rule: ConsentRule

  /// - Parameter consent: Gets the owner's terms.
  package init(_ shard: OpenShard, record: Int, _ consent: ConsentNote, _ rule: ConsentRule) {
    self.shard = shard
    self.record = record
    self.consent = consent
    self.rule = rule
  }

  package func lend(for request: FetchRequest, atMost length: Int64?) -> LentFile? {
    length.flatMap { shard.lend(length: $0) }
  }

  package func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    let url = request.url.display
    if let refusal = consent.add(image, rule) { throw FetchError(.refused, url, refusal) }
    do throws(BodyReadFailure) { try shard.store(image.body, image.facts?.format, record: record) } catch {
      switch error {
      case .damaged: throw FetchError(.damaged, url, "the cached image is damaged", isTransient: true)
      case .source(let error): throw FetchError(.damaged, url, "it cannot be read: \(error.code)", isTransient: true)
      case .sink(let error): throw FetchError(.file, url, "it cannot be kept for its shard: \(error.code)")
      }
    }
    return Delivery(output: nil, isNew: true)
  }
}
