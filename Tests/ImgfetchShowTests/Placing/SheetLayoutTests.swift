import ImgfetchCore
import Testing

@testable import ImgfetchShow

@Suite("The layout of a contact sheet") struct SheetLayoutTests {
  @Test(
    "Pictures have about 20 columns, and their rows nearly fill the page",
    arguments: [
      (80, 24, 4, 19, 6, 3), (120, 40, 6, 19, 6, 5), (200, 50, 10, 19, 7, 6), (80, 10, 4, 19, 7, 1),
      (10, 24, 1, 9, 2, 6),
    ])
  func usual(_ width: Int, _ height: Int, _ across: Int, _ columns: Int, _ rows: Int, _ rowsOfPage: Int) {
    let layout = SheetLayout(count: 100, window: PixelSize(width, height))
    #expect(layout.across == across && layout.columns == columns && layout.rows == rows, "\(layout)")
    #expect(layout.rowsOfPage == rowsOfPage && layout.perPage == across * rowsOfPage)
  }

  @Test("It fits every window that has room for a picture, its name and the question", arguments: 1...130)
  func fits(_ width: Int) {
    for height in 1...60 {
      for count in [1, 3, 1000] {
        let layout = SheetLayout(count: count, window: PixelSize(width, height))
        #expect(layout.across >= 1 && layout.columns >= 1 && layout.rows >= 1 && layout.rowsOfPage >= 1)
        #expect(layout.column(of: layout.across - 1) + layout.columns <= max(1, width - 1), "\(width)x\(height)")
        if height > 2 { #expect(layout.rowsOfPage * layout.height < height, "\(width)x\(height): \(layout)") }
      }
    }
  }

  @Test("Few pictures get more room each")
  func few() {
    let two = SheetLayout(count: 2, window: PixelSize(80, 24))
    #expect(two.across == 2 && two.columns == 39 && two.rows == 10)
    let one = SheetLayout(count: 1, window: PixelSize(80, 24))
    #expect(one.columns == 79 && one.rows == 22 && one.perPage == 1)
  }

  @Test("The user's size is that of each picture, as far as the window has room")
  func size() {
    let small = SheetLayout(count: 100, window: PixelSize(80, 24), size: PixelSize(8, 4))
    #expect(small.across == 8 && small.columns == 8 && small.rows == 4 && small.rowsOfPage == 4)
    let large = SheetLayout(count: 100, window: PixelSize(80, 24), size: PixelSize(200, 90))
    #expect(large.across == 1 && large.columns == 79 && large.rows == 22 && large.rowsOfPage == 1)
  }

  @Test("Without names each row is a line shorter")
  func nameless() {
    let layout = SheetLayout(count: 100, window: PixelSize(80, 24), size: PixelSize(8, 4), hasNames: false)
    #expect(layout.height == 4 && layout.rowsOfPage == 5)
  }
}
