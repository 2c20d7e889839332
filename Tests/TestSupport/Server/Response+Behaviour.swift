// How an answer goes wrong, or waits. Offsets count bytes of the body, before any chunking.
extension TestServer.Response {
  /// Ends the connection in order once `count` bytes of the body are out.
  package func cutAfter(_ count: Int) -> Self { marked(count, .cut) }

  /// Breaks the connection (RST) once `count` bytes of the body are out.
  package func resetAfter(_ count: Int) -> Self { marked(count, .reset) }

  /// Says nothing more once `count` bytes of the body are out, until ``TestServer/release(_:)``, or `gate` is
  /// opened, or the server stops.
  package func stallAfter(_ count: Int, until gate: Gate? = nil) -> Self { marked(count, .wait(gate)) }

  /// Sends the body in pieces: each gate holds up what lies behind its offset.
  package func trickle(_ gates: [(offset: Int, gate: Gate)]) -> Self {
    changed { answer in
      for (offset, gate) in gates { answer.mark(offset, .wait(gate)) }
    }
  }

  /// Puts bytes of no meaning into the stream at that place; they do not count as body.
  package func garbage(_ bytes: [UInt8], after count: Int) -> Self { marked(count, .garbage(bytes)) }

  /// Does not even send the head before `gate` is open.
  package func held(by gate: Gate) -> Self { changed { $0.gate = gate } }

  /// Claims another length than the body has. The connection ends after the body, so a longer one is never made good.
  package func claiming(length: Int) -> Self {
    changed { answer in
      answer.framing = .length(claimed: length)
      answer.closes = true
    }
  }

  /// Sends the body in chunks of these sizes, the last one again for the rest.
  package func chunked(_ sizes: [Int], trailer: [String] = []) -> Self {
    changed { $0.framing = .chunked(sizes, trailer: trailer) }
  }

  /// Gives no length: the connection's end is the body's.
  package func withoutLength() -> Self {
    changed { answer in
      answer.framing = .close
      answer.closes = true
    }
  }

  /// Gives no length and says nothing of the connection: for an unannounced body.
  package func unframed() -> Self { changed { $0.framing = .unsaid } }

  /// Goes on with these bytes for ever.
  package func endless(_ bytes: [UInt8]) -> Self { changed { $0.endless = bytes } }

  /// Ends the connection after this answer, and says so.
  package func closing() -> Self { with("Connection", "close").changed { $0.closes = true } }

  private func marked(_ offset: Int, _ mark: Mark) -> Self { changed { $0.mark(offset, mark) } }

  private mutating func mark(_ offset: Int, _ mark: Mark) {
    let place = marks.firstIndex { $0.offset > offset } ?? marks.endIndex
    marks.insert((offset, mark), at: place)
  }
}
