/// A colour profile with red and green swapped, so that a test sees whether it was applied: the primaries of sRGB with
/// two of them swapped, and its grey axis, with a gamma of 2.2.
enum SwappedProfile {
  static let bytes = MadeProfile.bytes(
    red: MadeProfile.green, green: MadeProfile.red, blue: MadeProfile.blue,
    curve: MadeProfile.text("curv") + MadeProfile.big(0, 4) + MadeProfile.big(1, 4) + MadeProfile.big(563, 2) + [0, 0])
}

/// A profile of sRGB, which is assumed anyway.
enum SRGBProfile {
  static let bytes = MadeProfile.bytes(
    red: MadeProfile.red, green: MadeProfile.green, blue: MadeProfile.blue,
    curve: MadeProfile.text("para") + MadeProfile.big(0, 4) + MadeProfile.big(3, 2) + [0, 0]
      + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(MadeProfile.fixed))
}

/// A profile of grey whose numbers are linear: darker than they look like without it.
enum LinearGreyProfile {
  static let bytes = MadeProfile.bytes(
    class: "mntr", space: "GRAY", connection: "XYZ ",
    tags: [
      ("desc", MadeProfile.description), ("wtpt", MadeProfile.xyz([0.9642, 1, 0.8249])),
      ("kTRC", MadeProfile.text("curv") + MadeProfile.big(0, 8)),
    ])
}

enum MadeProfile {
  static let red = [0.4361, 0.2225, 0.0139]
  static let green = [0.3851, 0.7169, 0.0971]
  static let blue = [0.1431, 0.0606, 0.7141]

  static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(number >> (8 * (count - 1 - $0)) & 255) }
  }

  static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  static func fixed(_ value: Double) -> [UInt8] { big(Int((value * 65_536).rounded()), 4) }

  static let description =
    text("desc") + big(0, 4) + big(5, 4) + text("made") + [UInt8](repeating: 0, count: 1 + 78 + 4)

  static func xyz(_ values: [Double]) -> [UInt8] { text("XYZ ") + big(0, 4) + values.flatMap(fixed) }

  static func bytes(red: [Double], green: [Double], blue: [Double], curve: [UInt8]) -> [UInt8] {
    let tags: [(String, [UInt8])] = [
      ("desc", description), ("cprt", text("text") + big(0, 4) + text("none") + [0, 0, 0, 0]),
      ("wtpt", xyz([0.9642, 1, 0.8249])), ("rXYZ", xyz(red)), ("gXYZ", xyz(green)), ("bXYZ", xyz(blue)),
      ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    return bytes(class: "mntr", space: "RGB ", connection: "XYZ ", tags: tags)
  }

  /// A profile of these tags.
  static func bytes(class: String, space: String, connection: String, tags: [(String, [UInt8])]) -> [UInt8] {
    var table = big(tags.count, 4)
    var data: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    for (name, content) in tags {
      table += text(name) + big(start + data.count, 4) + big(content.count, 4)
      data += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    }
    let length = start + data.count
    var header = big(length, 4) + text("none") + [2, 0x40, 0, 0] + text(`class` + space + connection)
    header += big(2026, 2) + big(1, 2) + big(1, 2) + big(0, 6) + text("acsp") + big(0, 4) + big(0, 4)
    header += big(0, 4) + big(0, 4) + big(0, 8) + big(0, 4)
    header += big(Int(0.9642 * 65_536), 4) + big(65_536, 4) + big(Int(0.8249 * 65_536), 4)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + data
  }
}
