import ImgfetchCore

enum PictureFlags {
  /// How images are shown in the terminal.
  static let all: [Flag] = [
    Flag(
      .picture, "picture", .choice("HOW", Choices.Picture.self) { $0.show.picture = $1 }, default: "auto", on: .show,
      .picture,
      help: "auto or blocks",
      details: """
        How pictures are drawn. blocks: as half blocks, in 24 bits of colour where COLORTERM or TERM says so, else in 256 \
        colours. auto: the same, if standard output is a terminal; if not, the exit code is 2.
        """,
      example: "imgfetch show --picture blocks https://example.org/cat.jpg | less -R"),
    Flag(
      .size, "size", .value("COLSxROWS", Values.cells) { $0.show.size = $1 },
      unset: "the window's width and two thirds of its height", on: .show, .picture,
      help: "the most room of a picture, in cells",
      details:
        "The most columns and rows that a picture takes. It keeps its shape, and small images are not enlarged."),
  ]
}
