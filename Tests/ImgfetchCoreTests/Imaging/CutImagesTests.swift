import ImgfetchCore
import Testing
import TestSupport

@Suite("Images cut at any place")
struct CutImagesTests {
  @Test func everyProperPrefixIsRefused() {
    for image in validImages + keptImages {
      for length in 0..<image.bytes.count {
        let failure = refusal(Array(image.bytes.prefix(length)))
        #expect(failure != nil, "\(image.name) cut at \(length)")
        if length >= 12, let format = try? inspected(image.bytes).get().format {
          #expect(failure == .truncated(format, at: Int64(length)), "\(image.name) cut at \(length)")
        }
      }
    }
  }

  @Test func chunksMayBeCutAnywhere() throws {
    for image in validImages + keptImages {
      let whole = try inspected(image.bytes).get()
      for cut in 0...image.bytes.count {
        #expect(try inspected(image.bytes, cutAt: [cut]).get() == whole, "\(image.name) cut at \(cut)")
      }
      for size in [1, 2, 3, 5, 7, 64] {
        #expect(try inspected(image.bytes, chunk: size).get() == whole, "\(image.name) in chunks of \(size)")
      }
    }
  }

  @Test func damageIsReportedTheSameForAnyChunks() {
    for image in validImages + keptImages {
      for place in stride(from: 0, to: image.bytes.count, by: 5) {
        var bytes = image.bytes
        bytes[place] ^= 0x55
        let verdict = inspected(bytes)
        #expect(inspected(bytes, chunk: 1) == verdict, "\(image.name) changed at \(place)")
        #expect(inspected(bytes, cutAt: [place]) == verdict, "\(image.name) changed at \(place)")
      }
    }
  }

  @Test func foreignBodiesAreNamedTheSameForAnyChunks() {
    for body in foreignBodies {
      let verdict = inspected(body.bytes)
      for size in [1, 7, 95, 97] { #expect(inspected(body.bytes, chunk: size) == verdict, "\(body.found)") }
    }
  }

  @Test func aFailureIsFinal() {
    var inspector = Inspector()
    let failure = refusal(TestImages.html(), feeding: &inspector)
    #expect(failure != nil)
    #expect(refusal(TestImages.png(), feeding: &inspector) == failure)
    #expect(inspector.facts == nil)
  }
}
