/// Walks an AVIF or a HEIC image: its boxes, and the places of the bytes of each item and of each sample of a sequence.
/// All of them must have come; their contents are the decoder's matter.
struct HEIFWalk: ImageWalk {
  private enum Region: Sendable { case items, properties, track, other }

  private let limits: InspectionLimits
  private var format: ImageFormat
  private var boxes = ISOBoxes()
  private var items = HEIFItems()
  private var tracks = HEIFTracks()
  /// The tables that the current box belongs to, the outermost first.
  private var regions: [Region] = []
  private var found: ImageFacts?
  private var isSequence = false
  private var hasTracks = false
  /// Bytes of earlier chunks.
  private var base: Int64 = 0
  /// True in the bytes after the end, which are no box.
  private var isBehind = false

  init(format: ImageFormat, limits: InspectionLimits) {
    self.limits = limits
    self.format = format
  }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    defer {
      boxes.advance(bytes.count)
      base += Int64(bytes.count)
    }
    while !isBehind {
      let event: ISOBoxes.Event?
      do {
        event = try boxes.next(bytes, &at, kind: Self.kind)
      } catch {
        // Behind the last byte that counts anything may follow.
        guard isComplete(at: base + Int64(at)) else { throw .damaged(format, at: error.place, reason: error.reason) }
        isBehind = true
        return
      }
      guard let event else { return }
      do throws(WalkFault) { try take(event) } catch {
        throw .damaged(format, at: base + Int64(at), reason: error.reason)
      }
      if case .ended(let type) = event { try end(type) }
    }
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    guard isComplete(at: base) else { throw .truncated(format, at: base) }
    return .complete
  }

  var facts: ImageFacts? {
    guard var facts = found else { return nil }
    facts.trailingBytes = max(0, base - max(boxes.end, end))
    // A box without an end, or one that breaks off behind all that counts.
    if !isBehind, !boxes.isBetween { facts.trailingBytes = 0 }
    return facts
  }

  private var end: Int64 { max(items.end, tracks.end) }

  /// True if everything that the tables announce has come.
  private func isComplete(at place: Int64) -> Bool {
    found != nil && (!isSequence || hasTracks) && end <= place && regions.isEmpty
  }

  /// The most bytes of all tables of items, or of a track, together: the places of 200,000 items
  /// or of a million pictures.
  static let longestTable = 4 << 20

  private static func kind(_ type: BoxType, _ parent: BoxType?) -> ISOBoxes.Kind {
    switch (parent, type) {
    case (nil, "meta"): return .container(header: 4)
    case (nil, "moov"), ("meta", "iprp"), ("iprp", "ipco"), ("moov", "trak"), ("trak", "mdia"), ("trak", "edts"),
      ("mdia", "minf"), ("minf", "stbl"):
      return .container(header: 0)
    case (nil, "ftyp"), ("meta", "iinf"), ("meta", "iloc"), ("meta", "iref"), ("iprp", "ipma"), ("stbl", "stsz"),
      ("stbl", "stco"), ("stbl", "co64"), ("stbl", "stsc"):
      return .leaf(kept: longestTable)
    // Sizes, kinds and numbers come first; profiles and codecs' headers may follow.
    case ("meta", "pitm"), ("ipco", _), ("trak", "tkhd"), ("edts", "elst"), ("mdia", "hdlr"), ("stbl", "stsd"):
      return .leaf(kept: 64)
    // How long it is tells where its bytes may stand.
    case ("meta", "idat"): return .leaf(kept: 0)
    default: return .passed
    }
  }

  private mutating func take(_ event: ISOBoxes.Event) throws(WalkFault) {
    switch event {
    case .began(let type):
      switch type {
      case "meta": items = HEIFItems()
      case "trak": tracks.begin()
      default: break
      }
      regions.append(type == "ipco" ? .properties : type == "meta" || type == "iprp" ? .items : .track)
    case .ended(let type):
      regions.removeLast()
      if type == "trak" { try tracks.endTrack() }
    case .leaf(let type, let head, let length):
      switch regions.last {
      case .items: try items.take(type, head, length: length)
      case .properties: try items.takeProperty(type, head)
      case .track: try tracks.take(type, head, length: length)
      case .other, nil: if type == "ftyp" { isSequence = HEIFBrands(head[...]).isSequence }
      }
    }
  }

  /// Ends a box of the file itself, whose tables are complete.
  private mutating func end(_ type: BoxType) throws(InspectionFailure) {
    switch type {
    case "meta":
      if let facts = try items.facts(of: format, limits: limits) {
        found = facts
        correctFormat(items.coding)
      }
    case "moov":
      hasTracks = true
      if found == nil {
        found = tracks.facts(of: format)
        correctFormat(tracks.coding)
      }
    default: return
    }
    guard var facts = found, hasTracks, tracks.frames > 0 else { return }
    guard facts.width > 0, facts.height > 0 else { throw .noPixels(format) }
    facts.frames = tracks.frames
    facts.loopCount = tracks.loopCount
    try limits.admit(width: facts.width, height: facts.height, frames: 1)
    found = facts
  }

  /// Corrects the format by the coding of the picture, since a brand may name the container alone.
  private mutating func correctFormat(_ coding: BoxType?) {
    if coding == "av01" { format = .avif }
    if coding == "hvc1" || coding == "hev1" { format = .heic }
    found?.format = format
  }
}

/// The brands in a file's first box: its own format, and others that it can be read as.
struct HEIFBrands {
  private let brands: [BoxType]

  /// Reads the content of the first box, or as much of it as there is.
  init(_ content: ArraySlice<UInt8>) {
    var fields = FieldReader(content)
    var brands = [BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))]
    // A version of four bytes follows the first one.
    fields.skip(4)
    while fields.left >= 4 { brands.append(BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))) }
    self.brands = brands
  }

  /// The format that the first brand names, or any of the others.
  var format: ImageFormat? {
    if let first = brands.first, let format = Self.format(first) { return format }
    let named = brands.compactMap(Self.format)
    if let format = named.contains(.avif) ? .avif : named.first { return format }
    return brands.contains("mif1") || brands.contains("msf1") ? .heic : nil
  }

  /// True if the file claims to be a sequence, which then must be there.
  var isSequence: Bool { brands.first.map { ["avis", "msf1", "hevc", "hevx"].contains($0) } ?? false }

  private static func format(_ brand: BoxType) -> ImageFormat? {
    switch brand {
    case "avif", "avis": .avif
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": .heic
    default: nil
    }
  }
}
