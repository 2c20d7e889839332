import ImgfetchCore

enum ImageFlags {
  /// Which images are accepted.
  static let image: [Flag] = [
    Flag(
      .verify, "verify", .choice("LEVEL", Verification.self) { $0.fetch.verification = $1 },
      default: "structure", on: [.fetching, .inspect, .cacheAdd], .image,
      help: "none, structure or decode",
      details: """
        How closely a body is looked at before it is believed. structure walks the container to its end mark: a \
        truncated image, or a web page under an image's name, never reaches the cache or a file. decode decodes every \
        pixel. none takes any body. Cached images are held to it too.
        """),
    Flag(
      .sandbox, "sandbox", .toggle { $0.isSandboxed = $1 }, default: "true", on: [.fetching, .inspect, .cacheAdd],
      .image,
      help: "decode in this process, without protection",
      details: """
        Where pixels are decoded, under --verify decode and for transforms, that is done in helper processes that reach no \
        file, no network and no other process: a flaw in a codec is then a failure of that one image. Where the kernel cannot \
        shut them in, nothing is decoded (exit code 7). --no-sandbox decodes in this process, with a warning.
        """),
    Flag(
      .maxPixels, "max-pixels", .value("COUNT", Values.size) { $0.fetch.maximumPixels = Int64($1) }, default: "256M",
      on: [.fetching, .inspect, .cacheAdd], .image,
      help: "refuse larger images (pixels x frames)",
      details:
        "Images of more pixels, over all frames, are refused as soon as their header shows it, before anything is allocated."
    ),
    Flag(
      .minSize, "min-size",
      .value("WxH", Values.dimensions) {
        ($0.fetch.filter.minimumWidth, $0.fetch.filter.minimumHeight) = ($1.width, $1.height)
      }, unset: "any", on: .fetching, .image,
      help: "refuse smaller images",
      details: "Images that are narrower or lower are refused with exit code 5.",
      example: "imgfetch get --min-size 320x240 -i list.txt"),
    Flag(
      .maxAspect, "max-aspect", .value("RATIO", Values.ratio) { $0.fetch.filter.maximumAspect = $1 }, unset: "any",
      on: .fetching, .image,
      help: "refuse longer shapes (3, or 16:9)",
      details: "Images whose longer side is more than RATIO times the shorter one are refused with exit code 5."),
    Flag(
      .onlyFormat, "only-format",
      .choices("LIST", Choices.Format.self) { $0.fetch.filter.formats = Set($1.map(\.format)) }, unset: "all",
      on: .fetching, .image,
      help: "jpeg, png, apng, gif, webp",
      details: "Images of other formats are refused with exit code 5. The bytes decide, not the name.",
      example: "imgfetch get --only-format jpeg,png -i list.txt"),
  ]

  /// What is done to the pixels of an output, in the order given. From the command line only.
  static let transform: [Flag] = [
    Flag(
      .resize, "resize", .value("SIZE", Values.resizing) { $0.transform.steps.append(.resize(Resize($1))) },
      unset: "as it is", step: true, on: .get, from: .commandLine, .transform,
      help: "WxH, Wx, xH or N%",
      details: "Resizes the image to a box (see --fit), to a width, to a height, or by a percentage.",
      example: "imgfetch get --resize 256x256 --convert jpeg https://example.org/cat.png"),
    Flag(
      .fit, "fit", .choice("HOW", Resize.Fit.self) { $0.fit = $1 }, default: "inside", on: .get,
      from: .commandLine, .transform,
      help: "inside, cover, fill or down",
      details: """
        How the image meets the box of --resize. inside: as large as fits. cover: the box is covered, what juts out is \
        cut off. fill: both sides exactly, the shape may change. down: as inside, but only ever smaller.
        """),
    Flag(
      .crop, "crop", .value("AREA", Values.cropping) { $0.transform.steps.append(.crop($1)) }, unset: "none",
      step: true, on: .get,
      from: .commandLine, .transform,
      help: "cut out WxH or WxH+X+Y",
      details: "Cuts out an area of WxH: from the middle, or with +X+Y from that corner."),
    Flag(
      .autoOrient, "auto-orient", .toggle { if $1 { $0.transform.steps.append(.autoOrient) } }, step: true, on: .get,
      from: .commandLine, .transform,
      help: "turn the pixels as the Exif tag says",
      details:
        "Turns the pixels as the image's Exif orientation says. Without it they are not turned, and the tag stays."),
    Flag(
      .flip, "flip", .choice("AXIS", Choices.Flip.self) { $0.transform.steps.append(.turn($1.orientation)) },
      unset: "none", step: true, on: .get, from: .commandLine, .transform,
      help: "h (left to right) or v (top to bottom)",
      details: "Mirrors the image: h swaps left and right, v top and bottom."),
    Flag(
      .rotate, "rotate", .choice("DEGREES", Choices.Rotation.self) { $0.transform.steps.append(.turn($1.orientation)) },
      unset: "none", step: true, on: .get, from: .commandLine, .transform,
      help: "90, 180 or 270, clockwise",
      details: "Turns the image clockwise."),
    Flag(
      .convert, "convert", .choice("FORMAT", Choices.Target.self) { $0.transform.target = $1.target }, default: "same",
      on: .get, from: .commandLine, .transform,
      help: "jpeg, png, webp or same",
      details: """
        The format that is written. same keeps the one that came. Animations stay what they are in PNG (as APNG), WebP and GIF, and \
        become their first frame in JPEG. A lossless WebP stays lossless unless --quality is given.
        """),
    Flag(
      .quality, "quality", .value("N", Values.count(1...100)) { $0.transform.quality = $1 }, unset: "85, WebP 80",
      on: .get, from: .commandLine, .transform,
      help: "quality of JPEG and WebP, 1 to 100",
      details: "The quality of JPEG and lossy WebP, from 1 to 100. From 90 on, JPEG keeps colours at full size."),
    Flag(
      .background, "background", .value("COLOUR", Values.colour) { $0.transform.background = $1 }, default: "white",
      on: .get, from: .commandLine, .transform,
      help: "under alpha that becomes JPEG (#rrggbb)",
      details:
        "What shows through where an image with transparency becomes a JPEG: #rrggbb, #rgb or one of the basic names."),
    Flag(
      .strip, "strip", .toggle { $0.transform.strips = $1 }, on: .get, from: .commandLine, .transform,
      help: "drop metadata; colours become sRGB",
      details: """
        Drops the metadata; colours are converted to sRGB first. Otherwise Exif and colour profile go along with what is made, where \
        its format can hold them.
        """),
    Flag(
      .firstFrame, "first-frame", .toggle { $0.transform.takesFirstFrame = $1 }, on: .get, from: .commandLine,
      .transform,
      help: "take only the first frame",
      details: "Takes only the first frame of an animation."),
  ]
}
