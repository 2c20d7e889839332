extension JSONImages.Found {
  /// The picture, or the pictures of the markup.
  var images: [PageImage] {
    switch self {
    case .image(let image): return [image]
    case .markup(let markup):
      var html = HTMLImages()
      var tokenizer = HTMLTokenizer()
      tokenizer.feed(markup.span, into: &html)
      tokenizer.finish(into: &html)
      html.finish()
      return html.takeFound().compactMap { found in
        guard case .image(var image) = found else { return nil }
        if image.kind == .image { image.kind = .feed }
        return image
      }
    }
  }
}
