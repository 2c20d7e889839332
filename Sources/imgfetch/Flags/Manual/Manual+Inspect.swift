extension Manual {
  /// imgfetch-inspect(1).
  static func inspect() -> String {
    let page = """
      .Sh NAME
      .Nm imgfetch-inspect
      .Nd say what an image file is, and whether it is whole
      .Sh SYNOPSIS
      .Nm "imgfetch inspect"
      .Op Ar options
      .Ar
      .Sh DESCRIPTION

      """
    return page
      + Roff.text(
        """
        imgfetch inspect reads each file, or standard input where - stands for it, as imgfetch get looks at what it \
        fetches: the bytes decide what it is, and the container is walked to its end. JPEG, PNG, APNG, GIF and WebP \
        are known.
        """)
      + ".Pp\n"
      + Roff.text("With --json one object is printed for each file, on one line, with the fields:")
      + Roff.list([
        (tag: "Cm file", body: Roff.text("The file as given.")),
        (tag: "Cm format", body: Roff.text("jpeg, png, apng, gif or webp; null for anything else.")),
        (tag: "Cm mime", body: Roff.text("The media type.")),
        (tag: "Cm width , Cm height", body: Roff.text("In pixels, as stored.")),
        (tag: "Cm frames", body: Roff.text("The number of frames; 1 for a still image.")),
        (tag: "Cm bits", body: Roff.text("Bits of one channel.")),
        (tag: "Cm alpha", body: Roff.text("Whether there is a channel or colour of transparency.")),
        (
          tag: "Cm orientation",
          body: Roff.text("The Exif orientation, 1 to 8; 1 (upright) where it has none, null for what is no image.")
        ),
        (tag: "Cm bytes", body: Roff.text("The size of the file.")),
        (tag: "Cm whole", body: Roff.text("Whether it was read to its end mark without a fault.")),
        (
          tag: "Cm pixels",
          body: Roff.text(
            "With --verify decode: a number by which pixels can be compared, the same for the same picture in another lossless format."
          )
        ),
        (tag: "Cm error", body: Roff.text("Null, or what is wrong with it.")),
      ])
      + options(Flag.taken(by: .inspect), of: .inspect)
      + environment([.configHome, .terminal])
      + files([configFile])
      + exitStatus()
      + examples([
        ("Look at files:", "imgfetch inspect cat.jpg dog.png"),
        (
          "The names of those that are damaged:", "imgfetch inspect --json *.jpg | jq -r 'select(.whole | not) | .file'"
        ),
        ("Look at a stream:", "curl -s https://example.org/cat.jpg | imgfetch inspect -"),
      ])
      + seeAlso([("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-config", 5)])
  }
}
