import ImgfetchCore

/// Writes one request's image to its file.
struct FileSink: LendingSink, StandingSink {
  let place: OutputFiles
  let name: ClaimedName

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    try place.write(image, as: name, for: request.url.display)
  }

  func standing(_ origin: OutputOrigin, _ facts: ImageFacts, for request: FetchRequest) -> ImageBody? {
    place.standing(origin, facts, of: name)
  }

  func lend(for request: FetchRequest, atMost length: Int64?) -> LentFile? { place.lend(for: name) }
}
