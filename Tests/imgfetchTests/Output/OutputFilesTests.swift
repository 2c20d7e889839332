import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore
@testable import imgfetch

@Suite struct OutputFilesTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func image(_ text: String, _ fields: HeaderFields = HeaderFields()) -> DeliveredImage {
    DeliveredImage(
      facts: ImageFacts(format: .png, width: 3, height: 2), key: ContentHash(of: ""), fields: .ready(fields),
      body: ImageBody(.bytes(Array(text.utf8))))
  }

  private func name(_ segment: String) -> ClaimedName {
    var names = OutputNames()
    return names.name(
      for: NameSource(segment: segment, host: "h", path: "/", key: segment, index: 1))
  }

  private func request() throws -> FetchRequest { FetchRequest(try WebURL("https://u:secret@example.org/cat")) }

  @Test func anImageGoesToItsNameInTheFolder() throws {
    let outputs = OutputFiles(folder: place.path("out"))
    let delivery = try outputs.sink(name("cat.jpg")).receive(image("x"), for: request())
    #expect(delivery.output == place.path("out/cat.png"))
    #expect(delivery.isNew)
    #expect(place.text("out/cat.png") == "x")
    #expect(try !outputs.sink(name("cat.jpg")).receive(image("x"), for: request()).isNew)
  }

  @Test func anAbsoluteOutputIsNotBelowTheFolder() throws {
    let outputs = OutputFiles(folder: place.path("out"), isNamed: true)
    let name = ClaimedName(
      OutputName(exactly: place.path("elsewhere")),
      NameSource(segment: "cat", host: "h", path: "/", key: "cat", index: 1))
    #expect(try outputs.sink(name).receive(image("x"), for: request()).output == place.path("elsewhere"))
    #expect(place.text("elsewhere") == "x")
  }

  @Test func whatIsThereIsKeptWithAnyAcceptedExtension() throws {
    try place.write("out/cat.jpeg", "old")
    symlink("nowhere", place.path("out/dog.gif"))
    let outputs = OutputFiles(folder: place.path("out"), OutputSettings(clobber: false))
    #expect(outputs.existing(name("cat.png")) == place.path("out/cat.jpeg"))
    #expect(outputs.existing(name("dog")) == place.path("out/dog.gif"))
    #expect(outputs.existing(name("cow.png")) == nil)
    #expect(OutputFiles(folder: place.path("none"), OutputSettings(clobber: false)).existing(name("x")) == nil)
    #expect(!FileManager.default.fileExists(atPath: place.path("none")))
    try place.write("out/late.png", "old")
    #expect(try !outputs.sink(name("late")).receive(image("new"), for: request()).isNew)
    #expect(place.text("out/late.png") == "old")
  }

  @Test func aLongListLooksIntoAListingForWhatIsThere() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryFolder()
      func name(_ segment: String) -> ClaimedName {
        var names = OutputNames()
        return names.name(for: NameSource(segment: segment, host: "h", path: "/", key: segment, index: 1))
      }
      for file in ["cat.JPEG", "a.b.png", "x.txt"] { try place.write("out/\(file)", "old") }
      let outputs = OutputFiles(folder: place.path("out"), OutputSettings(clobber: false), listsFolders: true)
      for number in 0..<64 { #expect(outputs.existing(name("\(number).png")) == nil) }
      let calls = Guarded(0)
      Faults.arm { _, _ in
        calls.withLock { $0 += 1 }
        return .proceed
      }
      for number in 0..<100 { #expect(outputs.existing(name("\(number).png")) == nil) }
      Faults.disarm()
      #expect(calls.withLock { $0 } < 50, "a listing, and not forty looks for each")
      #expect(outputs.existing(name("cat.png")) == place.path("out/cat.JPEG"))
      #expect(outputs.existing(name("a.b.jpg")) == place.path("out/a.b.png"))
      #expect(outputs.existing(name("x")) == nil)
      // What the run has written itself is there, too.
      let image = DeliveredImage(
        facts: ImageFacts(format: .png, width: 3, height: 2), key: ContentHash(of: ""), fields: .ready(HeaderFields()),
        body: ImageBody(.bytes(Array("x".utf8))))
      let request = FetchRequest(try WebURL("https://example.org/7"))
      #expect(try outputs.sink(name("7.jpg")).receive(image, for: request).isNew)
      #expect(outputs.existing(name("7.jpg")) == place.path("out/7.png"))
    }
  }

  @Test func theTimeIsThatOfLastModified() throws {
    let outputs = OutputFiles(folder: place.path("out"), OutputSettings(remoteTime: true))
    let fields = HeaderFields([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")])
    _ = try outputs.sink(name("a")).receive(image("x", fields), for: request())
    let attributes = try FileManager.default.attributesOfItem(atPath: place.path("out/a.png"))
    #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test func aFailureNamesTheFileAndWhatToDo() throws {
    try place.write("out", "a file")
    let error = #expect(throws: FetchError.self) {
      _ = try OutputFiles(folder: place.path("out")).sink(name("a")).receive(image("x"), for: request())
    }
    #expect(error?.kind == .file)
    #expect(
      error?.message
        == "\(place.path("out/a.png")): cannot be written: Not a directory; a part of its path is a file")
  }

  @Test func aDamagedEntryIsSaidOfTheURLWithoutItsPassword() throws {
    let path = try place.write("entry", "image")
    let file = SharedDescriptor(try Descriptor.open(path, [.read]))
    let body = ImageBody(
      .file(.init(descriptor: file, length: 5, expectedHash: ContentHash(high: 1, low: 1))))
    let damaged = DeliveredImage(facts: nil, key: ContentHash(of: ""), fields: .ready(HeaderFields()), body: body)
    let error = #expect(throws: FetchError.self) {
      _ = try OutputFiles(folder: place.path("out")).sink(name("a")).receive(damaged, for: request())
    }
    #expect(error?.kind == .damaged)
    #expect(error?.message == "https://***@example.org/cat: the stored image is damaged")
  }

  @Test func standardOutputGetsTheBytesAlone() throws {
    let stream = SharedDescriptor(try Descriptor.open(place.path("stream"), [.write, .create]))
    let delivery = try StandardOutputSink(stream, whenClosed: {}).receive(image("bytes"), for: request())
    #expect(delivery.output == "-")
    #expect(place.text("stream") == "bytes")
  }

  @Test func aReaderThatHasGoneIsToldOfAndIsNoFailureOfTheFile() throws {
    signal(SIGPIPE, SIG_IGN)
    let (reader, writer) = try Pipes.open()
    close(reader)
    Pipes.waitForLastReader(of: writer)
    let stream = SharedDescriptor(Descriptor(owning: writer))
    let wasTold = Guarded(false)
    let error = #expect(throws: FetchError.self) {
      _ = try StandardOutputSink(stream) { wasTold.withLock { $0 = true } }.receive(image("bytes"), for: request())
    }
    #expect(error?.kind == .cancelled)
    #expect(wasTold.withLock { $0 })
  }
}
