import ImgfetchCore

/// The objects into which a `get` puts its images, if --output-dir is a URL.
final class PlaceFiles: Sendable {
  private let outputs: PlaceOutputs
  private let keepsExisting: Bool
  private let overwrites: Bool
  let warnings: OutputWarnings

  /// - Parameters:
  ///   - keepsExisting: True if existing objects are kept (`--no-clobber`).
  ///   - overwrites: True if objects of other images are replaced (`--overwrite`).
  init(_ place: RemotePlace, keepsExisting: Bool, overwrites: Bool, warnings: OutputWarnings) {
    outputs = PlaceOutputs(place)
    self.keepsExisting = keepsExisting
    self.overwrites = overwrites
    self.warnings = warnings
  }

  /// A sink for one request.
  func sink(_ name: ClaimedName) -> PlaceSink { PlaceSink(place: self, name: name) }

  fileprivate func prepare(
    _ image: DeliveredImage, as name: ClaimedName, for url: String
  ) throws(FetchError) -> PendingDelivery {
    var options = PlaceOutputs.Options(key: name.key, keyText: name.keyText)
    options.first = name.first
    options.replaces = overwrites ? .any : name.isMadeOfURL ? .own : .ours
    options.earlier = image.history.earlier
    options.isRepeated = name.isRepeated
    options.keepsExisting = keepsExisting
    let names = (0...(overwrites ? name.first : OutputOptions.nameCount - 1)).map {
      name.path(for: image.facts, image.details, choice: $0)
    }
    let type = image.facts?.format.mime ?? "application/octet-stream"
    do throws(BodyReadFailure) {
      let commit = try outputs.prepare(image.body, type: type, options, names: names)
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
