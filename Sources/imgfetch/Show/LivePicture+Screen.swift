import ImgfetchCore
import ImgfetchShow

extension LivePicture {
  /// Keeps its place free.
  func reserve(on screen: PictureScreen, _ line: PictureLine?) throws(FetchError) {
    try change { (placed) throws(FetchError) in
      try screen.draw(&placed) { $0.replace(with: nil, line: line, columns: screen.columns) }
    }
  }

  /// Takes it off the screen.
  func remove(from screen: PictureScreen) throws(FetchError) {
    try change { (placed) throws(FetchError) in
      try screen.draw(&placed) { $0.remove(columns: screen.columns) }
    }
  }
}
