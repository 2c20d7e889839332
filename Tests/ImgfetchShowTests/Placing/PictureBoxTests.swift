import ImgfetchCore
import Testing

@testable import ImgfetchShow

@Suite("The size of a picture of half blocks") struct PictureBoxTests {
  @Test(
    "It fits and keeps its shape",
    arguments: [
      (PixelSize(4000, 3000), 80, 24, 64, 48), (PixelSize(3000, 4000), 80, 24, 36, 48),
      (PixelSize(4000, 300), 80, 24, 80, 6), (PixelSize(10, 4000), 80, 24, 1, 48),
    ])
  func shape(_ image: PixelSize, _ columns: Int, _ rows: Int, _ width: Int, _ height: Int) {
    let box = PictureBox(image, columns: columns, rows: rows)
    #expect(box.size == PixelSize(width, height))
    #expect(box.columns <= columns && box.rows <= rows)
  }

  @Test("A small image is not enlarged, and the last line may be half full")
  func small() {
    let box = PictureBox(PixelSize(16, 9), columns: 80, rows: 24)
    #expect(box.size == PixelSize(16, 9) && box.rows == 5)
  }

  @Test("There is always a pixel")
  func least() {
    #expect(PictureBox(PixelSize(1, 60_000), columns: 1, rows: 1).size == PixelSize(1, 2))
    #expect(PictureBox(PixelSize(60_000, 1), columns: 1, rows: 1).size == PixelSize(1, 1))
    #expect(PictureBox.inside(columns: 1, rows: 1) == (1, 1))
  }

  @Test("By default it leaves a third of the window's lines, and its last column")
  func window() { #expect(PictureBox.inside(columns: 80, rows: 24) == (79, 16)) }
}
