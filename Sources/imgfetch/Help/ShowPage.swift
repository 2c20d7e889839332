enum ShowPage {
  static func text() -> String {
    Manual.head(.show, "show images in the terminal", synopsis: Manual.usage("show", ".Ar URL|FILE ..."))
      + Roff.paragraphs(prose)
      + Manual.options(Flag.taken(by: .show), on: .show)
      + Manual.environment([
        .cacheHome, .configHome, .proxies, .certificates, .libcurlInShort,
        Manual.Variable(
          names: "COLORTERM , TERM , COLUMNS",
          meaning:
            "With COLORTERM=truecolor or 24bit pictures have 24 bits of colour, else 256 colours. With TERM=dumb nothing "
            + "is shown. COLUMNS overrides the window's width."),
      ])
      + Manual.files([Manual.cacheFolder, Manual.configFile])
      + Manual.exitStatus()
      + Manual.examples([
        ("An image from the network or the cache:", "imgfetch show https://example.org/cat.jpg"),
        ("A contact sheet, a page at a time (Space goes on, q ends):", "imgfetch show --grid photos/*.jpg"),
        ("A contact sheet of a list:", "imgfetch show --grid -i list.txt"),
        ("A contact sheet of the images of a page:", "imgfetch show --grid --from https://example.org/gallery.html"),
        ("Through a pager:", "imgfetch show --picture blocks cat.jpg | less -R"),
      ])
      + Manual.seeAlso([
        ("imgfetch", 1), ("imgfetch-get", 1), ("imgfetch-inspect", 1), ("imgfetch-config", 5), ("imgfetch-caching", 7),
      ])
  }

  private static let prose = """
    imgfetch show draws each image in the terminal, one under another, within its width and two thirds of its \
    height, under a line with its facts. An operand without :// that is the name of a file is that file, and - is \
    standard input; any other is fetched and cached as imgfetch get does. Images are decoded in a process without \
    access to files or the network.

    At a terminal a picture is drawn while its image is downloaded, and becomes sharper with every part: a \
    progressive JPEG by its scans, an interlaced PNG by its passes, other JPEGs and PNGs, WebP and GIF row by \
    row, at most ten times a second. Its place is reserved as soon as the image's header has come. If the image \
    turns out to be damaged, the picture is removed. A picture that does not fit into the window is drawn when it \
    is complete.

    The terminal is asked how it shows pictures: by kitty's graphics protocol, or as sixels. If it does not \
    answer, pictures are made of half blocks: each cell has two pixels, one above the other. Keys that are typed \
    meanwhile are kept for the shell. Images are turned upright and never enlarged. Transparent pixels show the \
    terminal's background unless --background is given. An animation plays once, and stays at its last picture.

    With --grid images are shown as a contact sheet: small, side by side, their names below, a page at a time.
    """
}
