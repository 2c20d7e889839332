import ImgfetchCore

/// imgfetch-transforms(7): other sizes, shapes and formats of the images that are written.
enum TransformsPage {
  static func text() -> String {
    Manual.head(.transforms, "other sizes, shapes and formats of images")
      + Roff.paragraphs(prose)
      + Manual.optionsExplained(on: .transforms)
      + Manual.examples([
        (
          "Thumbnails that fit into 256 by 256 pixels, as JPEG:",
          "imgfetch get --resize 256x256 --convert jpeg -d thumbnails -i list.txt"
        ),
        (
          "Squares of a fixed size, cut from the middle:",
          "imgfetch get --resize 256x256 --fit cover --convert jpeg -d squares -i list.txt"
        ),
        (
          "The left upper quarter, then smaller:",
          "imgfetch get --crop 160x120+0+0 --resize 80x -d corners https://example.org/cat.jpg"
        ),
        ("Without anything but pixels:", "imgfetch get --strip -d plain -i list.txt"),
      ])
      + Manual.seeAlso([("imgfetch-get", 1), ("imgfetch-pack", 1), ("imgfetch-caching", 7)])
  }

  private static let prose = """
    imgfetch get and imgfetch pack can write images in another size, shape or format than they came in. The cache \
    keeps the images as they came, so that another size needs no download; --cache-derived caches the results, \
    too.

    Without any of these options the bytes are written as they came. --resize, --crop, --flip and --rotate are \
    steps, and are applied in the order in which they are given. All other options here hold for the result, \
    wherever they stand. Transforms are for the command line only: neither the configuration file nor the \
    environment can set them.

    Pixels are turned upright first, and colours are kept with their profile; where the new format has no room \
    for a profile, they become sRGB. Of the metadata the creator and the terms of use are kept; places, devices \
    and times are not.

    Pixels are decoded in processes without access to files or the network. Some formats need a library for that, \
    and without it such an image fails with exit code 5: \(ImageFormat.lateLibrariesInWords).
    """
}
