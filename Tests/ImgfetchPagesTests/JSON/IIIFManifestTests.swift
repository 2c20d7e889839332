import Testing

@testable import ImgfetchPages

@Suite("Pictures of a IIIF manifest")
struct IIIFManifestTests {
  @Test("The canvases of version 3 come in order, each with its largest picture and its label")
  func version3() {
    let manifest = """
      {"@context": "http://iiif.io/api/presentation/3/context.json", "type": "Manifest", "label": {"en": ["Book"]},
       "thumbnail": [{"id": "https://m.org/thumb.jpg", "type": "Image"}],
       "items": [
        {"id": "c1", "type": "Canvas", "label": {"de": ["S. 1"], "en": ["p. 1"]}, "items": [{"type": "AnnotationPage", "items": [
          {"type": "Annotation", "motivation": "painting", "body": {"id": "https://m.org/1/full/300,/0/default.jpg",
           "type": "Image", "format": "image/jpeg", "width": 3000, "height": 2000,
           "service": [{"id": "https://m.org/1", "type": "ImageService3", "profile": "level1"}]}}]}]},
        {"id": "c2", "type": "Canvas", "items": [{"items": [{"body": {"type": "Choice", "items": [
          {"id": "https://m.org/2.jpg", "type": "Image"}, {"id": "https://m.org/2b.jpg", "type": "Image"}]}}]}]},
        {"id": "c3", "type": "Canvas", "items": [{"items": [{"body": {"id": "https://m.org/3.mp4", "type": "Video"}}]}]}
       ]}
      """
    #expect(
      found(in: manifest) == [
        "https://m.org/1/full/max/0/default.jpg p. 1 3000", "https://m.org/2.jpg - -",
      ])
  }

  @Test("The canvases of version 2 come in order, too")
  func version2() {
    let manifest = """
      {"@context": "http://iiif.io/api/presentation/2/context.json", "@type": "sc:Manifest", "label": "Book",
       "sequences": [{"canvases": [
        {"@type": "sc:Canvas", "label": "1r", "images": [{"resource": {"@id": "https://m.org/1.jpg", "@type": "dctypes:Image",
          "service": {"@context": "http://iiif.io/api/image/2/context.json", "@id": "https://m.org/i/1/",
            "profile": "http://iiif.io/api/image/2/level2.json"}}}]},
        {"label": {"@value": "1v", "@language": "en"}, "images": [{"resource": {"@id": "https://m.org/2.jpg",
          "service": {"@id": "https://m.org/i/2", "profile": ["http://iiif.io/api/image/2/level0.json"]}}}]}]}]}
      """
    #expect(found(in: manifest) == ["https://m.org/i/1/full/max/0/default.jpg 1r -", "https://m.org/2.jpg 1v -"])
  }

  @Test("A part of a picture stands for the whole, and a service of the first version has words of its own")
  func partsAndFirstVersion() {
    let three = """
      {"@context": "http://iiif.io/api/presentation/3/context.json", "items": [{"items": [{"items": [
        {"body": {"type": "SpecificResource", "source": {"id": "https://m.org/1.jpg", "type": "Image"}}},
        {"body": {"type": "SpecificResource", "source": "https://m.org/canvas"}},
        {"body": {"type": "Choice", "items": [{"type": "SpecificResource", "source": {"id": "https://m.org/2.jpg",
          "type": "Image", "service": [{"@id": "https://m.org/i2", "@type": "ImageService2"}]}}]}}]}]}]}
      """
    #expect(found(in: three) == ["https://m.org/1.jpg - -", "https://m.org/i2/full/max/0/default.jpg - -"])
    let two = """
      {"@context": "http://iiif.io/api/presentation/2/context.json", "sequences": [{"canvases": [{"images": [
        {"resource": {"@type": "oa:SpecificResource", "full": {"@id": "https://m.org/1.jpg", "@type": "dctypes:Image",
          "service": {"@context": "http://iiif.io/api/image/1/context.json", "@id": "https://m.org/i1",
            "profile": "http://iiif.io/api/image/1/level1.json"}}}}]}]}]}
      """
    #expect(found(in: two) == ["https://m.org/i1/full/full/0/native.jpg - -"])
  }

  @Test("A collection names its manifests")
  func collection() {
    let three = """
      {"@context": ["http://www.w3.org/ns/anno.jsonld", "http://iiif.io/api/presentation/3/context.json"],
       "items": [{"id": "https://m.org/a", "type": "Manifest"}, {"id": "https://m.org/b", "type": "Collection"}]}
      """
    let two = """
      {"@context": "http://iiif.io/api/presentation/2/context.json", "manifests": [{"@id": "https://m.org/a", "@type": "sc:Manifest"}],
       "collections": [{"@id": "https://m.org/b", "@type": "sc:Collection"}]}
      """
    #expect(found(in: three) == ["manifest https://m.org/a", "manifest https://m.org/b"])
    #expect(found(in: two) == ["manifest https://m.org/a", "manifest https://m.org/b"])
  }

  @Test("A label within hundreds of lists is found in one walk")
  func deepLabel() {
    let deep = String(repeating: "[[{\"en\": ", count: 150) + "\"p. 1\"" + String(repeating: "}]]", count: 150)
    let manifest = """
      {"@context": "http://iiif.io/api/presentation/3/context.json",
       "items": [{"label": \(deep), "items": [{"items": [{"body": {"id": "https://m.org/1.jpg", "type": "Image"}}]}]}]}
      """
    #expect(found(in: manifest) == ["https://m.org/1.jpg p. 1 -"])
  }

  @Test("Another JSON text is no manifest", arguments: [#"{"items": []}"#, "[1]", "{]"])
  func other(_ text: String) {
    var manifest = IIIFManifest()
    manifest.feed(Array(text.utf8).span)
    #expect(manifest.isManifest == false)
  }

  private func found(in text: String) -> [String] {
    var manifest = IIIFManifest()
    for byte in text.utf8 { manifest.feed([byte].span) }
    #expect(manifest.isManifest == true)
    return manifest.takeFound().map {
      switch $0 {
      case .source(let address): return "manifest \(String(decoding: address, as: UTF8.self))"
      case .image(let image):
        let label = image.title.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        let address = String(decoding: image.largest?.reference ?? [], as: UTF8.self)
        return "\(address) \(label) \(image.width.map { "\($0)" } ?? "-")"
      case .base, .beginBase, .endBase: return "another"
      }
    }
  }
}
