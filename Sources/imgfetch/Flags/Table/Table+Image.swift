extension Flag {
  /// What counts as the image that was asked for.
  static let image: [Flag] = [
    Flag(
      .verify, "verify", .value(placeholder: "LEVEL", kind: .choice(Choices.Verification.self)),
      standard: "structure", on: [.fetching, .inspect, .cacheAdd], .image,
      help: "none, structure or decode",
      more: """
        How closely a body is looked at before it is believed. structure walks the container to its end mark: a \
        truncated image, or a web page under an image's name, never reaches the cache or a file. decode decodes every \
        pixel. none takes any body. Cached images are held to it too.
        """),
    Flag(
      .sandbox, "sandbox", standard: "true", on: [.fetching, .inspect, .cacheAdd], .image,
      help: "decode in this process, without protection",
      more: """
        Where pixels are decoded, under --verify decode and for transforms, that is done in helper processes that reach no \
        file, no network and no other process: a flaw in a codec is then a failure of that one image. Where the kernel cannot \
        shut them in, nothing is decoded (exit code 7). --no-sandbox decodes in this process, with a warning.
        """),
    Flag(
      .maxPixels, "max-pixels", .value(placeholder: "COUNT", kind: .size), standard: "256M",
      on: [.fetching, .inspect, .cacheAdd], .image,
      help: "refuse larger images (pixels x frames)",
      more:
        "Images of more pixels, over all frames, are refused as soon as their header shows it, before anything is allocated."
    ),
    Flag(
      .minSize, "min-size", .value(placeholder: "WxH", kind: .dimensions), unset: "any", on: .fetching, .image,
      help: "refuse smaller images",
      more: "Images that are narrower or lower are refused with exit code 5.",
      example: "imgfetch get --min-size 320x240 -i list.txt"),
    Flag(
      .maxAspect, "max-aspect", .value(placeholder: "RATIO", kind: .ratio), unset: "any", on: .fetching, .image,
      help: "refuse longer shapes (3, or 16:9)",
      more: "Images whose longer side is more than RATIO times the shorter one are refused with exit code 5."),
    Flag(
      .onlyFormat, "only-format", .value(placeholder: "LIST", kind: .choices(Choices.Format.self)), unset: "all",
      on: .fetching, .image,
      help: "jpeg, png, apng, gif, webp",
      more: "Images of other formats are refused with exit code 5. The bytes decide, not the name.",
      example: "imgfetch get --only-format jpeg,png -i list.txt"),
  ]
}
