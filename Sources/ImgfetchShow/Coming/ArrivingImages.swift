import ImgfetchCore

/// The images of a run that are on their way: what the fetcher's threads bring, and the main thread waits for.
package final class ArrivingImages: Sendable {
  /// The part of an image that has come so far.
  package struct Growth: Sendable {
    /// The number of the answer: a download that begins anew has the next one.
    package let answer: Int
    package let body: ImageBody
    package let facts: ImageFacts
  }

  /// The part of an image that the caller knows.
  package struct Known: Hashable, Sendable {
    var answer = 0
    var count: Int64 = 0

    package init(answer: Int = 0, count: Int64 = 0) {
      self.answer = answer
      self.count = count
    }
  }

  package enum News: Sendable {
    case grew(Growth)
    case arrived(Result<ShownImage, FetchError>)
  }

  private struct State {
    var arrivals: [Int: Result<ShownImage, FetchError>] = [:]
    var growth: [Int: Growth] = [:]
    var answers: [Int: Int] = [:]
  }

  private let state = Guarded(State())

  package init() {}

  /// Takes the image with this number, or its failure.
  package func arrive(_ number: Int, _ result: Result<ShownImage, FetchError>) {
    state.withLock { state in
      state.arrivals[number] = result
      state.growth[number] = nil
    }
    state.broadcast()
  }

  package func hasArrived(_ number: Int) -> Bool { state.withLock { $0.arrivals[number] != nil } }

  /// Waits for news of an image. Nil once the deadline has passed. An image that has arrived is given out once.
  package func next(_ number: Int, beyond known: Known, until deadline: Instant? = nil) -> News? {
    state.wait(until: deadline) { state in
      if let arrival = state.arrivals.removeValue(forKey: number) { return .arrived(arrival) }
      guard let growth = state.growth[number],
        growth.answer != known.answer || growth.body.count > known.count
      else { return nil }
      return .grew(growth)
    }
  }

  /// Waits for the first of some images that arrives. It is given out once.
  package func next(of numbers: [Int]) -> (number: Int, result: Result<ShownImage, FetchError>) {
    while true {
      let arrival = state.wait { state in
        for number in numbers {
          if let arrival = state.arrivals.removeValue(forKey: number) { return (number, arrival) }
        }
        return nil
      }
      if let arrival { return arrival }
    }
  }

  package func watcher(of number: Int) -> any BodyWatcher { Watcher(self, number) }

  private final class Watcher: BodyWatcher {
    private let images: ArrivingImages
    private let number: Int

    init(_ images: ArrivingImages, _ number: Int) {
      self.images = images
      self.number = number
    }

    func begin() {
      images.state.withLock { state in
        state.answers[number, default: 0] += 1
        state.growth[number] = nil
      }
    }

    func grew(_ body: ImageBody, _ facts: ImageFacts) {
      images.state.withLock { state in
        state.growth[number] = Growth(answer: state.answers[number] ?? 0, body: body, facts: facts)
      }
      images.state.broadcast()
    }
  }
}
