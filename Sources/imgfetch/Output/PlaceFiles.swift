import ImgfetchCore

/// The objects into which a `get` puts its images, if --output-dir is a URL.
final class PlaceFiles: Sendable {
  private let outputs: PlaceOutputs
  private let settings: OutputSettings
  private let serverNames: ServerNames
  let warnings: OutputWarnings

  /// - Parameter settings: The settings, of which those for files alone say nothing here.
  init(_ place: RemotePlace, _ settings: OutputSettings, warnings: OutputWarnings) {
    outputs = PlaceOutputs(place)
    self.settings = settings
    serverNames = ServerNames(settings)
    self.warnings = warnings
  }

  /// A sink for one request.
  func sink(_ name: ClaimedName) -> PlaceSink { PlaceSink(place: self, name: name) }

  /// A sink that says where one request's image would go, and puts nothing there (`--dry-run`). The place is not asked
  /// about its objects.
  func foreseeingSink(_ name: ClaimedName) -> ForeseeingPlaceSink { ForeseeingPlaceSink(place: self, name: name) }

  fileprivate func foresee(
    _ image: DeliveredImage, as claimed: ClaimedName, for url: String
  ) throws(FetchError) -> Delivery {
    let name = serverNames.name(claimed, of: image)
    let digest = try name.name.digest(of: image.body, for: url)
    return Delivery(output: name.path(for: image.facts, image.details, digest: digest), isNew: false)
  }

  fileprivate func prepare(
    _ image: DeliveredImage, as claimed: ClaimedName, for url: String
  ) throws(FetchError) -> PendingDelivery {
    let name = serverNames.name(claimed, of: image)
    let digest = try name.name.digest(of: image.body, for: url)
    var options = OutputOptions(key: name.key, keyText: name.keyText)
    options.first = name.first
    options.replaces = settings.overwrite ? .any : name.isMadeOfURL ? .own : .ours
    options.earlier = image.history.earlier
    options.keepsExisting = !settings.clobber
    let names = (0...(settings.overwrite ? name.first : OutputOptions.nameCount - 1)).map {
      name.path(for: image.facts, image.details, digest: digest, choice: $0)
    }
    let type = image.facts?.format.mime ?? "application/octet-stream"
    do throws(BodyReadFailure) {
      let commit = try outputs.prepare(
        image.body, type: type, options, isRepeated: name.isRepeated, names: names)
      return { [warnings] done in
        commit { end in
          if case .success(let written) = end { warnings.note(written.path, written.newDigits) }
          done(end.map { Delivery(output: $0.path, written: $0.change) })
        }
      }
    } catch {
      throw FetchError(.damaged, url, "the stored image is damaged", isTransient: true)
    }
  }
}

/// Puts one request's image into the place.
struct PlaceSink: DeferringSink {
  fileprivate let place: PlaceFiles
  let name: ClaimedName

  func prepare(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> PendingDelivery {
    try place.prepare(image, as: name, for: request.url.display)
  }
}

/// `--dry-run`: says where an image would go in the place.
struct ForeseeingPlaceSink: ImageSink {
  fileprivate let place: PlaceFiles
  let name: ClaimedName

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    try place.foresee(image, as: name, for: request.url.display)
  }
}
