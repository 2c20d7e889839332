// Details as bytes: in an entry as two tagged fields, and on their way from the process that worked them out.
extension ImageDetails {
  /// Names and texts of the fingerprints by turns.
  package var encodedFingerprints: [UInt8] {
    var writer = ByteWriter()
    for (kind, text) in fingerprints {
      writer.put(kind.name)
      writer.put(text)
    }
    return writer.bytes
  }

  /// Names and texts of what Exif says, by turns; no bytes where there is none.
  package var encodedExif: [UInt8] {
    var writer = ByteWriter()
    for field in ExifFacts.Field.allCases {
      guard let text = exif?.text(of: field) else { continue }
      writer.put(field.rawValue)
      writer.put(text)
    }
    return writer.bytes
  }

  /// Encodes both, for the way between processes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    let fingerprints = encodedFingerprints
    writer.put(UInt8(known.contains(.exif) ? 1 : 0))
    writer.put(UInt32(clamping: fingerprints.count))
    writer.put(raw: fingerprints)
    writer.put(raw: encodedExif)
    return writer.bytes
  }

  /// Nil where the bytes are not ``encoded`` details. They may be anybody's: an image may have
  /// taken the other process over.
  package convenience init?(encoded bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let readsExif = reader.take(UInt8.self), let count = reader.take(UInt32.self),
      let fingerprints = reader.takeRaw(Int(count)), bytes.count <= Self.longest
    else { return nil }
    self.init(fingerprints: fingerprints, exif: readsExif == 0 ? nil : bytes[(5 + Int(count))...])
  }

  /// Some 100 bytes for each fingerprint, 200 for each text of a camera.
  private static let longest = 8 << 10

  /// Decodes the details of an entry.
  ///
  /// - Parameters:
  ///   - fingerprints: ``encodedFingerprints``, or nothing.
  ///   - exif: ``encodedExif``, or nil if it is not known.
  package convenience init(fingerprints: ArraySlice<UInt8>, exif: ArraySlice<UInt8>?) {
    let texts = (ByteReader.pairs(in: fingerprints) ?? []).compactMap { name, text -> (ImageDetail, String)? in
      guard let kind = ImageDetail.fingerprints.first(where: { $0.name == name }),
        text.utf8.count <= 100, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C })
      else { return nil }
      return (kind, text)
    }
    let pairs = exif.flatMap(ByteReader.pairs(in:)) ?? []
    self.init(
      fingerprints: texts, exif: pairs.isEmpty ? nil : ExifFacts(pairs), readsExif: exif != nil)
  }
}

extension ExifFacts {
  /// The names under which facts are stored. They must never change.
  enum Field: String, CaseIterable {
    case camera, lens, time, orientation
    case exposure = "exposure-seconds"
    case fNumber = "f-number"
    case iso
    case focalLength = "focal-length"
    case latitude, longitude, altitude
  }

  func text(of field: Field) -> String? {
    switch field {
    case .camera: camera
    case .lens: lens
    case .time: time
    case .orientation: orientation.map { "\($0)" }
    case .exposure: exposureSeconds.map { "\($0)" }
    case .fNumber: fNumber.map { "\($0)" }
    case .iso: iso.map { "\($0)" }
    case .focalLength: focalLength.map { "\($0)" }
    case .latitude: latitude.map { "\($0)" }
    case .longitude: longitude.map { "\($0)" }
    case .altitude: altitude.map { "\($0)" }
    }
  }

  init(_ pairs: [(String, String)]) {
    self.init()
    for (name, text) in pairs {
      switch Field(rawValue: name) {
      case .camera: camera = text
      case .lens: lens = text
      case .time: time = text
      case .orientation: orientation = Int(text)
      case .exposure: exposureSeconds = Self.number(text)
      case .fNumber: fNumber = Self.number(text)
      case .iso: iso = Int(text)
      case .focalLength: focalLength = Self.number(text)
      case .latitude: latitude = Self.number(text)
      case .longitude: longitude = Self.number(text)
      case .altitude: altitude = Self.number(text)
      case nil: break
      }
    }
  }

  private static func number(_ text: String) -> Double? {
    guard let number = Double(text), number.isFinite else { return nil }
    return number
  }
}
