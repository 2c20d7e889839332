import ImgfetchCore

/// Gives the images of a run the names that their servers suggest (`--content-disposition`).
///
/// These names are known only when the images come. Where `--overwrite` replaces any file, nothing else would keep two
/// images from replacing each other.
final class ServerNames: Sendable {
  private let takesServersName: Bool
  /// The owners of names in this run; nil if the marks of the files tell.
  private let claims: Guarded<NameClaims>?

  init(_ settings: OutputSettings) {
    takesServersName = settings.takesServersName
    claims = settings.takesServersName && settings.overwrite ? Guarded(NameClaims()) : nil
  }

  /// The names that the image may have now that it is there.
  ///
  /// - Parameter own: returns the number of the name whose file is the image's own already, or nil if none is. It comes
  ///   first: images come in another order in each run.
  func name(
    _ claimed: ClaimedName, of image: DeliveredImage, own: (ClaimedName) -> Int? = { _ in nil }
  ) -> ClaimedName {
    guard takesServersName else { return claimed }
    var name = claimed.named(by: image)
    guard let claims else { return name }
    let choices = name.first..<OutputOptions.nameCount
    let ordered = [own(name)].compactMap(\.self).filter { choices.contains($0) } + choices
    let claimant = NameClaims.Claimant(of: name.keyText)
    let free = claims.withLock { [name] claims in
      ordered.first { choice in
        var bytes: [UInt8] = []
        name.choice(choice).appendClaim(to: &bytes)
        return claims.claim(ContentHash(of: bytes.span), for: claimant) != .taken
      }
    }
    if let free { name.first = free }
    return name
  }
}
