import ImgfetchCore
import TestSupport
import Testing

@testable import ImgfetchDataSet

/// The statements of owners, source by source, by the drafts that are named beside the readers.
@Suite struct ConsentTests {
  private func verdict(_ uses: [StatedUse], _ purpose: UsePurpose) -> Consent.Verdict {
    Consent(uses, for: purpose, .contentUsage, "").verdict
  }

  @Test(
    arguments: [
      ("train-ai=n", Consent.Verdict.no, Consent.Verdict.silent, Consent.Verdict.no),
      ("train-ai=y", .yes, .silent, .yes),
      ("train-ai=n, search=y", .no, .yes, .no), ("search=n", .silent, .no, .no), ("bots=n", .no, .no, .no),
      ("train-genai=n;x=1", .no, .silent, .no), ("train-ai=n,train-ai=y", .yes, .silent, .yes),
      ("ai-use=n", .silent, .silent, .no),
      ("TRAIN-AI=n", .silent, .silent, .silent), ("train-ai=?0", .silent, .silent, .silent),
      ("train-ai", .silent, .silent, .silent),
      ("train-ai=no", .silent, .silent, .silent), ("", .silent, .silent, .silent),
      ("\ttrain-ai=n  ", .no, .silent, .no),
    ])
  func contentUsage(text: String, training: Consent.Verdict, search: Consent.Verdict, any: Consent.Verdict) {
    let uses = StatedUse.contentUsage(text)
    #expect(verdict(uses, .training) == training && verdict(uses, .search) == search && verdict(uses, .any) == any)
  }

  @Test(
    arguments: [
      ("ai-train=no", Consent.Verdict.no, Consent.Verdict.silent), ("search=yes, ai-train=no", .no, .yes),
      ("Search=Yes,AI-Train=No", .no, .yes), ("ai-train = no", .no, .silent), ("ai-train=yes", .yes, .silent),
      ("ai-input=no", .silent, .silent), ("ai-train=maybe", .silent, .silent), ("ai-train", .silent, .silent),
    ])
  func contentSignal(text: String, training: Consent.Verdict, search: Consent.Verdict) {
    let uses = StatedUse.contentSignal(text)
    #expect(verdict(uses, .training) == training && verdict(uses, .search) == search)
  }

  @Test(
    arguments: [
      ("DMI-ALLOWED", Consent.Verdict.yes, Consent.Verdict.yes), ("DMI-UNSPECIFIED", .silent, .silent),
      ("DMI-PROHIBITED", .no, .no),
      ("DMI-PROHIBITED-AIMLTRAINING", .no, .silent), ("DMI-PROHIBITED-GENAIMLTRAINING", .no, .silent),
      ("DMI-PROHIBITED-EXCEPTSEARCHENGINEINDEXING", .no, .yes), ("DMI-PROHIBITED-SEECONSTRAINT", .no, .no),
      ("DMI-PROHIBITED-SEEEMBEDDEDRIGHTSEXPR", .no, .no), ("DMI-PROHIBITED-SEELINKEDRIGHTSEXPR", .no, .no),
      ("DMI-NEW", .silent, .silent),
    ])
  func dataMining(term: String, training: Consent.Verdict, search: Consent.Verdict) {
    #expect(verdict(StatedUse.dataMining(term), .training) == training)
    #expect(verdict(StatedUse.dataMining(term), .search) == search)
    let xmp = [
      "<rdf:Description plus:DataMining=\"http://ns.useplus.org/ldf/vocab/\(term)\"/>",
      "<rights:DataMining>http://ns.useplus.org/ldf/vocab/\(term)</rights:DataMining>",
      "<plus:DataMining rdf:resource='http://ns.useplus.org/ldf/vocab/\(term)'/>",
    ]
    for text in xmp {
      for (body, format) in Self.images(holding: Array(text.utf8)) {
        let consent = ImageStatements.consent(in: ImageBody(.bytes(body)), format, for: .training)
        #expect(consent.verdict == training, "\(term) in \(format): \(text)")
      }
    }
  }

  /// An image of each format that has places for it, with this XMP.
  private static func images(holding xmp: [UInt8]) -> [([UInt8], ImageFormat)] {
    let jpeg = TestImages.jpeg()
    let name = Array("http://ns.adobe.com/xap/1.0/\u{0}".utf8)
    let length = name.count + xmp.count + 2
    let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + name + xmp
    let png = TestImages.png()
    let chunk = TestImages.pngChunk("iTXt", Array("XML:com.adobe.xmp\u{0}\u{0}\u{0}\u{0}\u{0}".utf8) + xmp)
    let webp = TestImages.webp()
    return [
      (Array(jpeg[..<2]) + segment + jpeg[2...], .jpeg), (Array(png[..<33]) + chunk + png[33...], .png),
      (webp + TestImages.riffChunk("XMP ", xmp), .webp), (TestImages.tiff() + xmp, .tiff),
    ]
  }

  @Test(
    arguments: [
      ("ai_training", "notAllowed", Consent.Verdict.no, Consent.Verdict.silent),
      ("ai_generative_training", "notAllowed", .no, .silent),
      ("ai_generative_training", "constrained", .no, .silent), ("ai_training", "allowed", .yes, .silent),
      ("data_mining", "notAllowed", .no, .no), ("ai_inference", "notAllowed", .silent, .silent),
      ("ai_training", "other", .silent, .silent),
    ])
  func trainingAssertion(entry: String, use: String, training: Consent.Verdict, search: Consent.Verdict) {
    for prefix in ["c2pa", "cawg"] {
      let body = Self.credentials("\(prefix).training-mining", ["\(prefix).\(entry)": use])
      for (purpose, wanted) in [(UsePurpose.training, training), (.search, search)] {
        let consent = ImageStatements.consent(in: ImageBody(.bytes(body)), .jpeg, for: purpose)
        #expect(consent.verdict == wanted, "\(prefix).\(entry): \(use) for \(purpose)")
      }
    }
  }

  @Test func manyBytesOfNothingSayNothingAndTakeNoTime() {
    let deep = [UInt8](repeating: 0xA1, count: 60_000)
    for rest in [deep, [UInt8](repeating: 0x9F, count: 100), [0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]] {
      let body = Self.segmented(Array("c2pa.training-mining\u{0}xxxxcbor".utf8) + rest)
      #expect(ImageStatements.consent(in: ImageBody(.bytes(body)), .jpeg, for: .training) == .silent)
    }
  }

  /// A search that goes to the end of the file for each of the names takes longer than any patience.
  @Test(arguments: ["DataMiningl", ".training-mining.c", "c2pa.training-mining\u{0}cbor\u{9F}"])
  func namesWithoutValuesAreSearchedOnce(name: String) {
    let bytes = Array(repeatElement(Array(name.utf8), count: (1 << 20) / name.utf8.count).joined())
    #expect(ImageStatements.consent(in: ImageBody(.bytes(bytes)), .avif, for: .training) == .silent)
  }

  /// A JPEG with an assertion of this label, in two segments that are cut in the middle of its content.
  private static func credentials(_ label: String, _ entries: [String: String]) -> [UInt8] {
    func text(_ text: String) -> [UInt8] { [0x78, UInt8(text.utf8.count)] + Array(text.utf8) }
    let map = entries.reduce([0xA0 | UInt8(entries.count)]) {
      $0 + text($1.key) + [0xA1] + text("use") + text($1.value)
    }
    let content = [0xA1] + text("entries") + map
    return segmented(
      Array("jumd".utf8) + Array(label.utf8) + [0] + [0, 0, 0, UInt8(content.count + 8)] + Array("cbor".utf8) + content)
  }

  private static func segmented(_ box: [UInt8]) -> [UInt8] {
    let head = [0, 0, 0, 0] + Array("jumb".utf8)
    var segments: [UInt8] = []
    var at = 0
    var number: UInt8 = 1
    while at < box.count {
      let part = box[at..<min(box.count, at + (number == 1 ? box.count / 2 : 60_000))]
      let length = 2 + 8 + 8 + part.count
      segments +=
        [0xFF, 0xEB, UInt8(length >> 8), UInt8(length & 0xFF), 0x4A, 0x50, 0, 1, 0, 0, 0, number] + head + part
      at += part.count
      number += 1
    }
    let jpeg = TestImages.jpeg()
    return Array(jpeg[..<2]) + segments + jpeg[2...]
  }

  @Test(
    "Of robots.txt the groups for us count, and the longest path",
    arguments: [
      ("User-Agent: *\nContent-Usage: / train-ai=n\nContent-Usage: /ok/ train-ai=y", "/a.jpg", Consent.Verdict.no),
      ("User-Agent: *\nContent-Usage: / train-ai=n\nContent-Usage: /ok/ train-ai=y", "/ok/a.jpg", .yes),
      ("User-Agent: *\nContent-Usage: train-ai=n", "/a.jpg", .no),
      ("User-Agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /", "/a.jpg", .no),
      (
        "User-Agent: *\nContent-Signal: ai-train=no\nUser-Agent: imgfetch\nContent-Signal: ai-train=yes", "/a.jpg", .yes
      ),
      ("User-Agent: other\nContent-Signal: ai-train=no", "/a.jpg", .silent),
      ("Content-Signal: ai-train=no\nUser-Agent: *\nAllow: /", "/a.jpg", .no),
      ("User-Agent: *\nDisallow: /private", "/private/a.jpg", .no),
      ("User-Agent: *\nDisallow: /private", "/a.jpg", .silent),
      ("User-Agent: *\nContent-Usage: /*.jpg$ train-ai=n", "/a.jpg", .no),
      ("User-Agent: *\nContent-Usage: /*.jpg$ train-ai=n", "/a.jpg?x", .silent),
      ("User-Agent: *\nContent-Usage: / train-ai=y\nContent-Usage: / train-ai=n", "/a.jpg", .no),
      ("User-Agent: *\nContent-Usage: / train-ai=n # but not really", "/a.jpg", .no), ("", "/a.jpg", .silent),
    ])
  func robots(file: String, path: String, wanted: Consent.Verdict) {
    var said = OriginConsent()
    said.add(robots: Array(file.utf8))
    #expect(said.consent(to: path, for: .training).verdict == wanted)
  }

  @Test func theFirstRuleOfAReservationFileThatMatchesCounts() {
    var said = OriginConsent()
    for (location, isReserved) in [("/free/", false), ("/*.png$", true), ("/", true)] {
      said.add(reservation: isReserved, of: location)
    }
    for (path, wanted) in [("/free/a.jpg", Consent.Verdict.yes), ("/free/a.png", .yes), ("/x/a.png", .no), ("/b", .no)]
    {
      #expect(said.consent(to: path, for: .training).verdict == wanted, "\(path)")
    }
  }

  @Test func anyNoWinsOverAnyYes() {
    let yes = Consent(allows: true, .contentUsage, "yes")
    let no = Consent(allows: false, .dataMining, "no")
    for consent in [
      yes.combined(with: no), no.combined(with: yes), no.combined(with: .silent), Consent.silent.combined(with: no),
    ] {
      #expect(consent == no)
    }
    #expect(Consent.silent.combined(with: yes) == yes && yes.combined(with: .silent) == yes)
  }
}
