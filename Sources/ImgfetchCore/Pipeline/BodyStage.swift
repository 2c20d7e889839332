/// Takes in the body of a download on a disk thread: inspects, hashes and writes it as it arrives.
struct BodyStage: Stage {
  let pipeline: Pipeline

  /// Takes items until there are none left.
  func run(_ body: BodyQueue, _ flight: Flight) {
    while let items = body.take() {
      for item in items {
        switch item {
        case .begin(let head, let isNotable, let mirrors):
          if body.isRefused { break }
          body.mirrors = mirrors
          begin(body, head, isNotable: isNotable, flight)
        case .resume(let head, let mirrors):
          body.mirrors = mirrors
          let resumed = body.resumption
          body.head = head.completing(
            body.head?.fields ?? resumed?.fields ?? HeaderFields(),
            body.head?.provenance ?? resumed?.provenance ?? Provenance())
          body.isJoined = true
        case .bytes(let piece), .lastBytes(let piece):
          defer { workers.release(piece.count) }
          do { try body.writer?.write(piece) } catch { refuse(body, flight, error) }
          if let writer = body.writer, writer.count >= PartResumption.notableLength { resumption.note(body) }
        case .note: resumption.note(body)
        case .end(.complete): complete(body, flight)
        case .end(let ending): if settle(body, ending) { pipeline.ended(flight, ending) }
        }
      }
    }
  }

  private func begin(_ body: BodyQueue, _ head: AnswerHead, isNotable: Bool, _ flight: Flight) {
    let isCompressed = head.isCompressed
    body.head = isCompressed ? head.decoded : head
    body.resumption = nil
    body.isNotable = isNotable && !isCompressed
    if isCompressed { log.explain(flight) { "it comes compressed (gzip), which is undone" } }
    body.isNoted = false
    body.isJoined = false
    if body.writer?.hasLostPart == true { body.part = nil }
    var warning = claimLate(body, flight)
    if let part = body.part, part.length > 0 {
      do { try part.truncate() } catch {
        warning = part.notCached(because: error)
        part.abandon(keepForResume: false)
        body.part = nil
      }
    }
    body.writer = resumption.bodyWriter(body.part, flight, length: body.head?.contentLength)
    if let warning { body.writer?.warn(warning) }
    guard isCompressed else { return }
    do { try body.writer?.expand() } catch { refuse(body, flight, error) }
  }

  /// Claims a part for a body that came instead of a 304. Other processes that download the same image by now have
  /// begun on their own, and are not waited for. Returns the reason if there is no part.
  private func claimLate(_ body: BodyQueue, _ flight: Flight) -> CacheWarning? {
    guard body.lock != nil, body.writer == nil, body.part == nil, let stored = flight.hop.copy?.entry,
      let disk
    else { return nil }
    var claim = disk.claimPart(flight.hop.entryKey, after: .saw(stored.stamp))
    switch claim {
    case .claimed, .unavailable: break
    case .busy, .published, .lockedEntry: claim = disk.claimPrivatePart(flight.hop.entryKey)
    }
    if case .claimed(let part) = claim { body.part = part }
    if case .unavailable(let warning) = claim { return warning }
    return nil
  }

  /// Keeps the received bytes for another run, unless another answer is kept in their place, or a stored one was
  /// confirmed. Returns false if the body was refused, and the flight belongs to another thread.
  private func settle(_ body: BodyQueue, _ ending: BodyQueue.Ending) -> Bool {
    if body.isRefused { return false }
    workers.release(body.close())
    switch ending {
    case .brokenOff(let error, let remains):
      if remains.sideAnswer == nil { resumption.keep(body, after: error) }
    case .movedOn(_, let remains): if remains.sideAnswer == nil { resumption.keep(body, after: nil) }
    case .complete, .notModified:
      body.writer = nil
      body.part?.abandon(keepForResume: false)
      body.part = nil
    }
    return true
  }

  /// Refuses a useless body, whose rest is not awaited. The waiters are told at once, unless the body was joined from
  /// two answers: then it is downloaded again.
  private func refuse(_ body: BodyQueue, _ flight: Flight, _ error: FetchError) {
    guard body.writer != nil else { return }
    body.writer = nil
    if body.isJoined, error.isOfTheBody {
      // The server sent something else than it announced, or a fault of the disk showed only at the end.
      workers.release(body.close())
      log.explain(flight) {
        "what was put together of it is no good (\(error.reason)): the whole is asked for"
      }
      let part = body.part
      body.part = nil
      return pipeline.joinedWrongly(flight, Claim(part: part, lock: body.lock))
    }
    body.part?.abandon(keepForResume: false)
    body.part = nil
    workers.release(body.close())
    let remains = DownloadRemains(claim: Claim(lock: body.lock), mirrors: body.mirrors)
    pipeline.refused(flight, error.answered(body.head?.status), remains)
  }

  private func complete(_ body: BodyQueue, _ flight: Flight) {
    guard let writer = body.writer, let head = body.head else { return }
    let answer: CompleteAnswer
    do throws(FetchError) {
      var written = try writer.finish()
      if body.isJoined, written.facts?.flaws.isEmpty == false {
        // The fault may not be the server's: two answers may have been joined that do not belong together.
        throw FetchError(.damaged, flight.request.url.display, "flawed where parts may have been joined wrongly")
      }
      try storing.decode(&written, body, flight)
      if !body.mirrors.isEmpty { try storing.check(written, body, flight) }
      answer = storing.run(written, head, body, flight)
    } catch { return refuse(body, flight, error) }
    pipeline.stored(flight, answer)
  }
}

extension Part {
  /// The warning to the user about a part that could not be written.
  func notCached(because error: CacheFailure) -> CacheWarning {
    let reason = cache.explain(error)
    return CacheWarning("\(reason.text); the image is not cached", reason.code)
  }
}

extension OwnFormat {
  /// Verifies a body in this format. All of it is in memory meanwhile.
  func verify(_ body: ImageBody, _ options: FetchOptions, about url: String) throws(FetchError) {
    let bytes = try bytes(of: body, url)
    do throws(OwnFormatFailure) { try verify(bytes, maximumPixels: options.maximumPixels) } catch {
      throw error.fetchError(of: url)
    }
  }

  /// The pictures of a body in this format, as a PNG.
  func asPNG(_ body: ImageBody, maximumPixels: Int64, about url: String) throws(FetchError) -> [UInt8] {
    let bytes = try bytes(of: body, url)
    do throws(OwnFormatFailure) { return try asPNG(bytes, maximumPixels: maximumPixels) } catch {
      throw error.fetchError(of: url)
    }
  }

  private func bytes(of body: ImageBody, _ url: String) throws(FetchError) -> [UInt8] {
    do throws(BodyReadFailure) { return try body.bytes() } catch {
      throw FetchError(.damaged, url, "its bytes cannot be read", isTransient: true)
    }
  }
}

extension OwnFormatFailure {
  func fetchError(of subject: String) -> FetchError {
    isTooLarge
      ? FetchError(.limit, subject, reason, remedy: .allowMorePixels) : FetchError(.damaged, subject, reason)
  }
}
