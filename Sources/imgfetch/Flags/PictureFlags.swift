import ImgfetchCore

enum PictureFlags {
  /// How images are shown in the terminal.
  static let all: [Flag] = [
    Flag(
      .picture, "picture", .choice("HOW", Choices.Picture.self) { $0.show.picture = $1 }, default: "auto", on: .show,
      .picture,
      help: "auto, kitty, iterm, sixel or blocks",
      details: """
        How pictures are drawn. kitty: by kitty's graphics protocol. iterm: as iTerm2 takes images. sixel: as sixels, in 240 \
        colours. blocks: as half blocks of text, in 24 bits of colour where COLORTERM or TERM says so, else in 256 colours. \
        auto: if standard output is a terminal, it is asked what it can show, for 200 ms at most; what does not answer, and tmux \
        and screen, get half blocks. If standard output is no terminal, auto is exit code 2.
        """,
      example: "imgfetch show --picture blocks https://example.org/cat.jpg | less -R"),
    Flag(
      .size, "size", .value("COLSxROWS", Values.cells) { $0.show.size = $1 },
      unset: "the window's width and two thirds of its height", on: .show, .picture,
      help: "the most room of a picture, in cells",
      details:
        "The most columns and rows that a picture takes. It keeps its shape, and small images are not enlarged."),
    Flag(
      .still, "still", .toggle { $0.show.isStill = $1 }, on: .show, .picture,
      help: "show only the first picture of an animation",
      details: """
        Shows the first picture of an animation. Otherwise it plays once at a terminal, and stays at its last picture. \
        What is no terminal always gets the first.
        """),
    Flag(
      .preview, "preview", .toggle { $0.report.showsPreview = $1 }, on: .get, .picture,
      help: "show what is coming above the progress bars",
      details: """
        Shows the picture that has been coming longest above the progress bars, as far as it has come, in half blocks and at \
        most eight lines. It is gone at the end. Only where there are bars.
        """),
  ]
}
