// Asynchronous sequences: the events of one request, the answers to many. Compiled into the calling program, see `AwaitedRequest`.

/// What happens to one request.
public enum ImageEvent: Sendable {
  /// Something has happened to the download that the request started or joined: a beginning, the head of an answer, bytes, a redirect, a
  /// retry, or the reason for a decision about a cached answer.
  case underway(FetchEvent)
  /// The image, or why there is none. The last event.
  case done(Result<FetchedImage, FetchError>)
}

extension Fetcher {
  /// Fetches one image and tells what happens meanwhile. The last event is ``ImageEvent/done(_:)``; an answer from a cache may be the
  /// only one.
  ///
  /// The request is cancelled when the sequence is let go or its task is cancelled. A consumer that takes the events slowly loses the older ones,
  /// never the last.
  @export(implementation)
  public func events(for request: FetchRequest) -> AsyncStream<ImageEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { events in
      let awaited = awaited()
      let sink = memorySink(for: request)
      var watched = request.delivered(to: sink)
      watched.onEvent = { event in
        request.onEvent?(event)
        events.yield(.underway(event))
      }
      events.onTermination = { _ in awaited.cancel() }
      awaited.begin(watched) { result in
        events.yield(.done(sink.outcome(of: result)))
        events.finish()
      }
    }
  }

  /// Fetches many images. `requests` is read as answers are taken: at most `lookAhead` requests are asked for and not yet handed over.
  ///
  /// All requests are cancelled when the sequence is let go or its task is cancelled. It ends with the last answer.
  @export(implementation)
  public func images<Requests: AsyncSequence & Sendable>(
    for requests: Requests, order: FetchOrder = .asTheyCome, lookAhead: Int = 64
  ) -> AsyncStream<FetchOutcome> where Requests.Element == FetchRequest, Requests.Failure == Never {
    let list = list(order, limit: lookAhead)
    let feeding = Task {
      for await request in requests {
        guard await withCheckedContinuation({ go in list.whenThereIsRoom { go.resume(returning: $0) } }) else { break }
        list.add(request)
      }
      list.endOfRequests()
    }
    return list.answers(endingWith: feeding)
  }

  /// Fetches many images, whose requests are there already or are made as they are asked for.
  @export(implementation)
  public func images(
    for requests: some Sequence<FetchRequest> & Sendable, order: FetchOrder = .asTheyCome, lookAhead: Int = 64
  ) -> AsyncStream<FetchOutcome> {
    let list = list(order, limit: lookAhead)
    let feeding = Task {
      for request in requests {
        guard await withCheckedContinuation({ go in list.whenThereIsRoom { go.resume(returning: $0) } }) else { break }
        list.add(request)
      }
      list.endOfRequests()
    }
    return list.answers(endingWith: feeding)
  }

  @usableFromInline
  func list(_ order: FetchOrder, limit: Int) -> FetchList {
    FetchList(pipeline, of: self, order, limit: limit)
  }
}

extension FetchList {
  /// The answers. With the sequence ends the task that feeds this list.
  @_alwaysEmitIntoClient
  func answers(endingWith feeding: Task<Void, Never>) -> AsyncStream<FetchOutcome> {
    let end = AtEnd { [self] in
      feeding.cancel()
      cancel()
    }
    return AsyncStream {
      await withTaskCancellationHandler {
        await withCheckedContinuation { next in
          self.next { next.resume(returning: $0) }
          withExtendedLifetime(end) {}
        }
      } onCancel: {
        self.cancel()
      }
    }
  }
}
