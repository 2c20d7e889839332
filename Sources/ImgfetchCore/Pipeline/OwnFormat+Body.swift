extension OwnFormat {
  /// Verifies a body that has this format. All of it is in memory meanwhile.
  func verify(_ body: ImageBody, _ options: FetchOptions, about url: String) throws(FetchError) {
    let bytes = try bytes(of: body, url)
    do throws(OwnFormatFailure) { try verify(bytes, maximumPixels: options.maximumPixels) } catch {
      throw error.fetchError(of: url)
    }
  }

  /// The pictures of a body that has this format, as a PNG.
  func asPNG(_ body: ImageBody, maximumPixels: Int64, about url: String) throws(FetchError) -> [UInt8] {
    let bytes = try bytes(of: body, url)
    do throws(OwnFormatFailure) { return try asPNG(bytes, maximumPixels: maximumPixels) } catch {
      throw error.fetchError(of: url)
    }
  }

  private func bytes(of body: ImageBody, _ url: String) throws(FetchError) -> [UInt8] {
    do throws(BodyReadFailure) { return try body.bytes() } catch {
      throw FetchError(.damaged, url, "its bytes cannot be read", isTransient: true)
    }
  }
}

extension OwnFormatFailure {
  func fetchError(of subject: String) -> FetchError {
    isTooLarge
      ? FetchError(.limit, subject, reason, remedy: .allowMorePixels) : FetchError(.damaged, subject, reason)
  }
}

extension EntryMetadata {
  /// The same for this process's memory, where an image has just been verified.
  func verified(_ level: Verification) -> EntryMetadata {
    var verified = self
    verified.verification = max(verification, level)
    return verified
  }
}
