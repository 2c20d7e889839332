import ImgfetchCore
import ImgfetchShow

// One picture: from the first of its bytes to the last frame.
extension ShowRun {
  /// Shows the image of an operand: the received part while it comes, then the whole.
  func show(_ index: Int, _ item: ShownItem) throws(FetchError) {
    var live: LivePicture?
    defer { screen.isDrawing(false) }
    do throws(FetchError) {
      let image = try image(index, item, &live)
      live?.finish()
      try showWhole(image, index, item, live)
    } catch {
      // A body that was refused in the end was no picture.
      if interrupts.cause == nil { try remove(live) }
      throw error
    }
  }

  /// The image of an operand, once it is there. Until then it is drawn as far as it has come.
  private func image(_ index: Int, _ item: ShownItem, _ live: inout LivePicture?) throws(FetchError) -> ShownImage {
    if case .refused(let error) = item { throw error }
    if case .file(let name) = item { return try ShownImage(file: name, settings, showing) }
    if screen.isTerminal {
      fetcher.kick()
    } else {
      // Waiting for the fetcher does a part of its work.
      while !arriving.hasArrived(index), case let count = fetcher.outstanding, count > 0 {
        fetcher.wait(untilOutstanding: count - 1)
      }
    }
    var deadline: Instant?
    while true {
      switch arriving.next(index, beyond: live?.known ?? .init(), until: deadline) {
      case .arrived(let result)?: return try result.get()
      case .grew(let growth)?: try take(growth, index, item, &live)
      case nil: break
      }
      guard let growing = live else { continue }
      deadline = try growing.drawIfWorthwhile { (placed, picture) throws(FetchError) in
        guard screen.canReplace(placed) else { return }
        let line = screen.line(item.line(growing.facts))
        let picture = screen.finished(picture)
        try screen.draw(&placed) { $0.replace(with: picture, line: line, columns: screen.columns) }
      }
    }
  }

  /// Takes the received part of an image. Its place is reserved with its header, so that nothing moves later.
  private func take(
    _ growth: ArrivingImages.Growth, _ index: Int, _ item: ShownItem, _ live: inout LivePicture?
  ) throws(FetchError) {
    let place = screen.place(growth.facts.uprightSize, index)
    // The download has begun anew, or the window has another size.
    if let old = live, old.answer != growth.answer || old.placed.box != place.box {
      old.finish()
      try remove(old)
      live = nil
    }
    if live == nil {
      let isShown = screen.canReplace(place)
      screen.isDrawing(isShown)
      let made = LivePicture(growth, place, executor: isShown ? showing.executor : nil, clock: clock)
      if isShown { try made.reserve(on: screen, screen.line(item.line(growth.facts))) }
      live = made
    }
    live?.take(growth.body)
  }

  private func remove(_ live: LivePicture?) throws(FetchError) { try live?.remove(from: screen) }

  private func showWhole(
    _ image: ShownImage, _ index: Int, _ item: ShownItem, _ live: LivePicture?
  ) throws(FetchError) {
    var placed = screen.place(image.facts.uprightSize, index)
    if let live, live.placed.box == placed.box { placed = live.placed } else { try remove(live) }
    let isReplaceable = screen.canReplace(placed)
    let line = screen.line(image.line(item.name))
    if isReplaceable, screen.playsAnimations, image.facts.frames > 1 {
      screen.isDrawing(true)
      return try play(image, item, at: &placed, line)
    }
    let picture: PixelBuffer
    do throws(PixelFailure) {
      picture = screen.finished(
        try ShownFrames.first(of: image.body, image.facts, size: placed.box.size, showing))
    } catch { throw error.fetchError(of: item.name) }
    screen.isDrawing(screen.isTerminal)
    try screen.draw(&placed) {
      isReplaceable
        ? $0.replace(with: picture, line: line, columns: screen.columns) : $0.whole(picture, line: line)
    }
  }

  /// Plays an animation once, at its times. Its last frame stays.
  private func play(
    _ image: ShownImage, _ item: ShownItem, at placed: inout PlacedPicture, _ line: PictureLine?
  ) throws(FetchError) {
    var failure: FetchError?
    var frames = FrameClock(begun: clock.now())
    var (number, place) = (0, placed)
    defer { placed = place }
    do throws(PixelFailure) {
      try ShownFrames.all(of: image.body, image.facts, size: place.box.size, showing) { picture in
        number += 1
        let isLast = number == image.facts.frames
        let now = clock.now()
        let moment = frames.moment(forMilliseconds: picture.milliseconds, isLast: isLast, ready: now)
        guard let moment else { return true }
        if moment > now { Threads.sleep(milliseconds: Int((moment - now).nanoseconds / 1_000_000)) }
        do throws(FetchError) {
          let picture = screen.finished(picture)
          try screen.draw(&place) {
            $0.replace(
              with: picture, line: line, columns: screen.columns, clears: number > 1 && image.facts.hasAlpha)
          }
        } catch { failure = error }
        // A window that has become too small for it keeps the picture that it has.
        return failure == nil && screen.canReplace(place)
      }
    } catch { throw error.fetchError(of: item.name) }
    if let failure { throw failure }
  }
}
