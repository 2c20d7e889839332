extension OwnFormat {
  /// Verifies a body that has this format. All of it is in memory meanwhile.
  func verify(_ body: ImageBody, _ options: FetchOptions, about url: String) throws(FetchError) {
    let bytes: [UInt8]
    do throws(BodyReadFailure) { bytes = try body.bytes() } catch {
      throw FetchError(.damaged, url, "its bytes cannot be read", isTransient: true)
    }
    do throws(OwnFormatFailure) { try verify(bytes, maximumPixels: options.maximumPixels) } catch {
      if error.isTooLarge { throw FetchError(.limit, url, error.reason, remedy: .allowMorePixels) }
      throw FetchError(.damaged, url, error.reason)
    }
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
