extension Flag {
  /// What is done to the pixels of an output. From the command line only, and in the order given there.
  static let transform: [Flag] = [
    Flag(
      .resize, "resize", .value(placeholder: "SIZE", kind: .resizing), unset: "as it is", on: .get,
      from: .commandLine, .transform,
      help: "WxH, Wx, xH or N%",
      more: "Resizes the image to a box (see --fit), to a width, to a height, or by a percentage.",
      example: "imgfetch get --resize 256x256 --convert jpeg https://example.org/cat.png"),
    Flag(
      .fit, "fit", .value(placeholder: "HOW", kind: .choice(Choices.Fit.self)), standard: "inside", on: .get,
      from: .commandLine, .transform,
      help: "inside, cover, fill or down",
      more: """
        How the image meets the box of --resize. inside: as large as fits. cover: the box is covered, what juts out is \
        cut off. fill: both sides exactly, the shape may change. down: as inside, but only ever smaller.
        """),
    Flag(
      .crop, "crop", .value(placeholder: "AREA", kind: .cropping), unset: "none", on: .get, from: .commandLine,
      .transform,
      help: "cut out WxH or WxH+X+Y",
      more: "Cuts out an area of WxH: from the middle, or with +X+Y from that corner."),
    Flag(
      .autoOrient, "auto-orient", on: .get, from: .commandLine, .transform,
      help: "turn the pixels as the Exif tag says",
      more: "Turns the pixels as the image's Exif orientation says. Without it they are not turned, and the tag stays."),
    Flag(
      .flip, "flip", .value(placeholder: "AXIS", kind: .choice(Choices.Flip.self)), unset: "none", on: .get,
      from: .commandLine, .transform,
      help: "h (left to right) or v (top to bottom)",
      more: "Mirrors the image: h swaps left and right, v top and bottom."),
    Flag(
      .rotate, "rotate", .value(placeholder: "DEGREES", kind: .choice(Choices.Rotation.self)), unset: "none", on: .get,
      from: .commandLine, .transform,
      help: "90, 180 or 270, clockwise",
      more: "Turns the image clockwise."),
    Flag(
      .convert, "convert", .value(placeholder: "FORMAT", kind: .choice(Choices.Target.self)), standard: "same",
      on: .get, from: .commandLine, .transform,
      help: "jpeg, png, webp or same",
      more: """
        The format that is written. same keeps the one that came. Animations stay what they are in PNG (as APNG), WebP and GIF, and \
        become their first frame in JPEG. A lossless WebP stays lossless unless --quality is given.
        """),
    Flag(
      .quality, "quality", .value(placeholder: "N", kind: .count(1...100)), unset: "85, WebP 80", on: .get,
      from: .commandLine, .transform,
      help: "quality of JPEG and WebP, 1 to 100",
      more: "The quality of JPEG and lossy WebP, from 1 to 100. From 90 on, JPEG keeps colours at full size."),
    Flag(
      .background, "background", .value(placeholder: "COLOUR", kind: .colour), standard: "white", on: .get,
      from: .commandLine, .transform,
      help: "under alpha that becomes JPEG (#rrggbb)",
      more:
        "What shows through where an image with transparency becomes a JPEG: #rrggbb, #rgb or one of the basic names."),
    Flag(
      .strip, "strip", on: .get, from: .commandLine, .transform,
      help: "drop metadata; colours become sRGB",
      more: """
        Drops the metadata; colours are converted to sRGB first. Otherwise Exif and colour profile go along with what is made, where \
        its format can hold them.
        """),
    Flag(
      .firstFrame, "first-frame", on: .get, from: .commandLine, .transform,
      help: "take only the first frame",
      more: "Takes only the first frame of an animation."),
  ]
}
