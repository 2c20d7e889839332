import ImgfetchCore

/// `--dry-run`: says where an image would go, and writes nothing.
struct ForeseeingSink: ImageSink {
  let files: OutputFiles
  let name: ClaimedName

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    try files.foresee(image, as: name, for: request.url.display)
  }
}
