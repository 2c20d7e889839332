import ImgfetchCore
import ImgfetchShow

enum PictureFlags {
  /// Pictures in the terminal.
  static let all: [Flag] = [
    Flag(
      .picture, "picture", .choice("HOW", PictureChoice.self) { $0.show.picture = $1 }, default: "auto", on: .show,
      .picture,
      help: "auto, kitty, iterm, sixel or blocks",
      details: """
        Sets how pictures are drawn. kitty: by the graphics protocol of kitty. iterm: as inline images of iTerm2. \
        sixel: as sixels, in 240 colours. blocks: as half blocks of text, in 24 bits of colour if COLORTERM or TERM \
        says so, else in 256 colours. auto: the terminal is asked, for 200 ms at most; one that does not answer, and \
        tmux and screen, get half blocks. Within tmux, kitty uses placeholders, so that pictures move with their text; \
        tmux must pass graphics on (set -g allow-passthrough on). If standard output is no terminal, auto is an error \
        (exit code 2).
        """,
      example: "imgfetch show --picture blocks https://example.org/cat.jpg | less -R"),
    Flag(
      .grid, "grid", .toggle { $0.show.isGrid = $1 }, on: .show, .picture,
      help: "small, side by side, with names, page by page",
      details: """
        Shows images as a contact sheet: small, in rows, each in the same room, with its name below. The width of the \
        window says how many are side by side, or --size how large each is. If the sheet is taller than the window, \
        it waits for a key after each page: Space or Return shows the next one, q ends. It does not wait if standard \
        input or standard output is no terminal. Where an image failed, the room has the reason's name, and the \
        message follows at the end. An animation shows its first picture. With -q there are no names.
        """,
      example: "imgfetch show --grid cat.jpg dog.png"),
    Flag(
      .size, "size", .value("COLSxROWS", Values.cells) { $0.show.size = $1 },
      unset: "the window's width and two thirds of its height", on: .show, .picture,
      help: "largest size of a picture, in cells",
      details: """
        Limits the columns and rows that a picture takes. It keeps its shape, and small images are not enlarged. With \
        --grid this is the room of each picture, which is about 20 columns wide by default.
        """,
      example: "imgfetch show --size 40x12 cat.jpg dog.png"),
    Flag(
      .still, "still", .toggle { $0.show.isStill = $1 }, on: .show, .picture,
      help: "show only the first picture of an animation",
      details: """
        Shows only the first picture of an animation. By default it plays once at a terminal, and stays at its last \
        picture. Anything that is no terminal gets the first.
        """),
    Flag(
      .preview, "preview", .toggle { $0.report.showsPreview = $1 }, on: .get, .picture,
      help: "show the coming picture above the progress bars",
      details: """
        Shows the picture that has been coming longest above the progress bars, in half blocks and at most eight \
        lines. It is removed at the end. Without bars there is no preview.
        """),
  ]
}
