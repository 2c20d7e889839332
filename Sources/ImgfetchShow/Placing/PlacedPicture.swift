import ImgfetchCore

/// A picture at its place on the screen: it is drawn there, and replaced by the next one. A pure value.
///
/// The cursor stays at the beginning of the line below, and each text leaves it there, with the usual colours. So the
/// terminal is as it was even if the run ends between two texts.
package struct PlacedPicture {
  package let box: PictureBox
  private let painter: PicturePainter
  /// The width of the line above the picture, in columns, or nil if there is none.
  private var lineWidth: Int?
  private var isThere = false
  /// The number of the place, of those of the run.
  private let place: Int
  /// The number of the picture that is there, where pictures have numbers.
  private var number: Int?

  /// The number of times that the terminal had been another program's when the picture got there.
  private var absences: Int

  package init(_ box: PictureBox, _ painter: PicturePainter, place: Int = 0, absences: Int = 0) {
    self.box = box
    self.painter = painter
    self.place = place
    self.absences = absences
  }

  /// Notes that the terminal has been another program's since: the picture gets another place, and its old one stays.
  package mutating func note(absences: Int) {
    if self.absences == absences { return }
    self.absences = absences
    isThere = false
    number = nil
  }

  /// True if the cursor can go back to its first line: a window of `rows` rows has all of it.
  package func canBeReplaced(inRows rows: Int) -> Bool { box.rows + 1 < rows }

  /// The text that puts a picture under a line, in place of the one that is there.
  /// - Parameters:
  ///   - picture: The picture; nil to keep its place free.
  ///   - line: The line above it; nil for none.
  ///   - columns: The width of the window now.
  ///   - clears: True if the old picture must be removed first, since the new one is transparent in other places.
  package mutating func replace(with picture: PixelBuffer?, line: PictureLine?, columns: Int, clears: Bool = false)
    -> [UInt8]
  {
    var text: [UInt8] = []
    let wasThere = isThere
    if wasThere { text.append(contentsOf: up(columns).utf8) }
    if let line { text.append(contentsOf: (line.text + "\u{1B}[K\n").utf8) }
    lineWidth = line?.width
    isThere = true
    guard let picture else { return text + blank(wasThere) }
    if painter.isText {
      number = painter.number(after: number, at: place)
      return painter.transmission(picture, box, number: number) + text
        + painter.lines(picture, box, number: number)
    }
    if !wasThere { text += blank(false) + Array("\u{1B}[\(box.rows)A".utf8) }
    if clears, wasThere { text += blank(true) + Array("\u{1B}[\(box.rows)A".utf8) }
    let before = number
    number = painter.number(after: before, at: place)
    // Terminals differ in where they leave the cursor after a picture.
    text.append(contentsOf: "\u{1B}7".utf8)
    text += painter.graphic(picture, box, number: number, staysAtCursor: true)
    if let before { text += painter.removal(of: before) }
    text.append(contentsOf: "\u{1B}8\u{1B}[\(box.rows)B\r".utf8)
    return text
  }

  /// The text of a picture that does not fit into the window, and stays.
  package func whole(_ picture: PixelBuffer, line: PictureLine?) -> [UInt8] {
    let head = line.map { Array(($0.text + "\n").utf8) } ?? []
    let number = painter.number(after: nil, at: place)
    let graphic = painter.graphic(picture, box, number: number, staysAtCursor: false)
    return head + graphic + (painter.isText ? [] : [10])
  }

  /// The text that takes it away.
  package mutating func remove(columns: Int) -> [UInt8] {
    guard isThere else { return [] }
    isThere = false
    let removal = number.map { painter.removal(of: $0) } ?? []
    number = nil
    return removal + Array((up(columns) + "\u{1B}[J").utf8)
  }

  /// Empty lines; those that are there are emptied.
  private func blank(_ wasThere: Bool) -> [UInt8] {
    Array(String(repeating: wasThere ? "\u{1B}[K\n" : "\n", count: box.rows).utf8)
  }

  /// Moves to the first line. A narrower window has wrapped lines of text.
  private func up(_ columns: Int) -> String {
    func rows(_ width: Int) -> Int { max(1, (width + columns - 1) / max(1, columns)) }
    let ofLine = lineWidth.map(rows) ?? 0
    let all = ofLine + box.rows * (painter.isText ? rows(box.columns) : 1)
    return all > 0 ? "\u{1B}[\(all)A\r" : ""
  }
}
