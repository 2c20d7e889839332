// Asynchronous sequences: the events of one request, the answers to many. Compiled into the calling
// program, see `AwaitedRequest`.

extension Fetcher {
  /// Fetches one image and tells what happens meanwhile. The last event is ``ImageEvent/done(_:)``; an answer from a
  /// cache may be the only one. Under ``CachePolicy/refresh`` the cached image comes first, as
  /// ``ImageEvent/stored(_:)``, and the one that the origin has sent or confirmed with the last event.
  ///
  /// With `partialPictures`, the events include pictures of the received part of a JPEG, PNG, WebP or GIF, in the
  /// wanted size: ten a second at most, and decoding takes a fifth of the time. ``Fetcher/Configuration/decoding``
  /// decides where they are decoded; under ``DecodingPlace/helper(_:)`` each image has a helper of its own while it
  /// comes. A request that joins another one's download has them from then on; one with ``Verification/none`` has none.
  ///
  /// The request is cancelled when the sequence is let go or its task is cancelled. A consumer that takes the events
  /// slowly loses the older ones, all partial pictures but the newest first, and never the last event.
  @export(implementation)
  public func events(for request: FetchRequest, partialPictures: DecodingOptions? = nil) -> AsyncStream<ImageEvent> {
    let (awaited, events) = (awaited(), EventQueue())
    let end = AtEnd {
      events.cancel()
      awaited.cancel()
    }
    begin(request, partialPictures, awaited, events) { nanoseconds, act in
      Task {
        try? await Task.sleep(nanoseconds: nanoseconds)
        act()
      }
    }
    return AsyncStream {
      await withTaskCancellationHandler {
        await withCheckedContinuation { next in
          events.next { next.resume(returning: $0) }
          withExtendedLifetime(end) {}
        }
      } onCancel: {
        events.cancel()
        awaited.cancel()
      }
    }
  }

  @usableFromInline
  func begin(
    _ request: FetchRequest, _ partial: DecodingOptions?, _ awaited: AwaitedRequest, _ events: EventQueue,
    later: @escaping DelayedCall
  ) {
    let sink = memorySink(for: request)
    var watched = request.delivered(to: sink)
    watched.onEvent = { event in
      request.onEvent?(event)
      events.add(.underway(event))
    }
    // One of its own: it is taken for as long as the image comes, and would be missing elsewhere. The common one has
    // already given any warning.
    var decoding = decoding
    if case .helper(let path) = decoding.place { decoding.executor = SandboxedExecutor(path, limit: 1) { _ in } }
    let pictures = partial.map { options in
      PartialPictures(
        options, decoding, workers: pipeline.workers, clock: pipeline.clock, later: later
      ) { events.add(.partial($0)) }
    }
    watched.watcher = pictures
    let prepared = watched.prepared(for: pipeline)
    let begin = { @Sendable in
      awaited.beginPrepared(prepared) { result in
        pictures?.finish()
        events.add(.done(sink.outcome(of: result)))
      }
    }
    if prepared.options.policy == .refresh { lookFirst(prepared, events, then: begin) } else { begin() }
  }

  /// Reports the stored image, and goes on.
  private func lookFirst(_ request: FetchRequest, _ events: EventQueue, then begin: @escaping @Sendable () -> Void) {
    let sink = MemorySink(before: nil)
    var look = request.delivered(to: sink)
    look.options.policy = .only
    look.purpose = .look
    look.onEvent = nil
    look.watcher = nil
    look.timeLimit = nil
    pipeline.submit(look) { result in
      if case .success(let image) = sink.outcome(of: result) { events.add(.stored(image)) }
      begin()
    }
    pipeline.kick()
  }

  /// Fetches many images into the caches only, without their bytes in the program's memory, because
  /// they will be wanted soon.
  ///
  /// `requests` is read as there is room. Each has low priority, unless it has another one than normal: it waits for
  /// all others, and one that asks for the same image lends its own priority to the download. A task that is cancelled
  /// cancels the requests under way, and gets the counts until then.
  ///
  /// - Parameters:
  ///   - requests: the images that are wanted.
  ///   - atOnce: how many are under way, beside the fetcher's own limits: 3 by default.
  ///   - progress: called after each request, on the fetcher's threads.
  @discardableResult
  @export(implementation)
  public func prefetch(
    _ requests: some Sequence<FetchRequest>, atOnce: Int = 3, progress: (@Sendable (PrefetchCount) -> Void)? = nil
  ) async -> PrefetchCount {
    let list = prefetching(atOnce, progress)
    return await withTaskCancellationHandler {
      for request in requests {
        guard await withCheckedContinuation({ go in list.whenThereIsRoom { go.resume(returning: $0) } }) else { break }
        list.add(request)
      }
      return await withCheckedContinuation { done in list.whenDone { done.resume(returning: $0) } }
    } onCancel: {
      list.cancel()
    }
  }

  /// Fetches many images. `requests` is read as answers are taken: at most `lookAhead` requests are asked for
  /// and not yet handed over.
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
  func list(_ order: FetchOrder, limit: Int) -> FetchList { FetchList(pipeline, of: self, order, limit: limit) }
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
