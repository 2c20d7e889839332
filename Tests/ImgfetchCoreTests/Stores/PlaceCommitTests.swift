import Testing

@testable import ImgfetchCore

/// The requests to a place, fed with answers.
@Suite("Putting an object into a place") struct PlaceCommitTests {
  /// The answers of a place: a status for each request in turn, and the body and fields that come with it.
  private typealias Script = [(status: Int, body: String, fields: [(name: String, value: String)])]

  private func web() throws -> PlaceCommit.Object {
    let place = try WebURL("http://a.example/x/y")
    var object = PlaceCommit.Object(
      url: try #require(place.object("1.tar")), length: 10, type: "application/x-tar", mark: "mine")
    object.temporary = place.object(".t")
    object.folders = place.folders(to: "1.tar")
    return object
  }

  private func bucket(length: Int64 = 10) throws -> PlaceCommit.Object {
    let account = S3Account(
      endpoint: try WebURL("http://s3.example"), keys: .init(accessKey: "a", secretKey: "b"))
    let place = try account.url("s3://b/x")
    return PlaceCommit.Object(
      url: try #require(place.object("1.tar")), length: length, type: "application/x-tar", mark: "mine")
  }

  /// The requests, each as `METHOD path?query`, and the outcome. A status of 0 is a lost connection.
  private func run(
    _ object: PlaceCommit.Object, _ script: Script, limits: PlaceCommit.Limits = PlaceCommit.Limits(), retries: Int = 2
  ) -> (asked: [String], outcome: String, sent: [PlaceRequest]) {
    var commit = PlaceCommit(object, RetryRule(limit: retries), limits: limits)
    var (asked, sent): ([String], [PlaceRequest]) = ([], [])
    var script = script[...]
    var step = commit.begin()
    while case .send(let request, _) = step {
      asked.append("\(request.method) \(request.url.path)\(request.query.map { "?\($0)" } ?? "")")
      sent.append(request)
      let next = script.popFirst() ?? (500, "", [])
      let lost = FetchError(.connect, "", "the connection was lost", isTransient: true)
      let reply =
        next.status == 0
        ? PlaceReply.failed(lost)
        : .answered(PlaceAnswer(status: next.status, fields: HeaderFields(next.fields), body: Array(next.body.utf8)))
      step = commit.handle(reply, random: 0, now: WallTime(seconds: 0))
      if asked.count > 30 { break }
    }
    let outcome =
      switch commit.outcome {
      case .failure(let error)?: "failed \(error.status ?? 0)"
      case .success(let other)?: "\(other)"
      case nil: "none"
      }
    return (asked, outcome, sent)
  }

  private func run(_ object: PlaceCommit.Object, _ statuses: [Int], retries: Int = 2) -> (
    asked: [String], outcome: String, sent: [PlaceRequest]
  ) { run(object, statuses.map { ($0, "", []) }, retries: retries) }

  @Test("A web server gets it under another name, and moves it where nothing is")
  func move() throws {
    let (asked, outcome, sent) = run(try web(), [404, 201, 201])
    #expect(asked == ["HEAD /x/y/1.tar", "PUT /x/y/.t", "MOVE /x/y/.t"] && outcome == "done")
    #expect(sent[2].fields.map(\.value) == ["http://a.example/x/y/1.tar", "F"])
  }

  @Test("What is there is not sent at all")
  func there() throws {
    #expect(run(try web(), [200]).asked == ["HEAD /x/y/1.tar"])
    #expect(run(try web(), [200]).outcome == "lost")
    #expect(run(try bucket(), [200]).outcome == "lost")
  }

  @Test("Folders that are missing are made from the outermost on, once", arguments: [409, 404])
  func folders(status: Int) throws {
    let (asked, outcome, _) = run(try web(), [404, status, 405, 201, 201, 201])
    #expect(
      asked == [
        "HEAD /x/y/1.tar", "PUT /x/y/.t", "MKCOL /x/", "MKCOL /x/y/", "PUT /x/y/.t", "MOVE /x/y/.t",
      ] && outcome == "done")
    #expect(run(try web(), [404, status, 405, 405, status]).outcome == "failed \(status)")
    // The making of a folder is tried again, too.
    let busy = run(try web(), [404, status, 503, 201, 0, 201, 201, 201])
    #expect(busy.outcome == "done" && busy.asked.count == 8, "\(busy)")
  }

  @Test("A name that is taken is a lost race, unless the temporary is gone by an attempt whose answer was lost")
  func taken() throws {
    let lost = run(try web(), [404, 201, 412, 200, 204])
    #expect(lost.outcome == "lost" && lost.asked.last == "DELETE /x/y/.t")
    let own = run(try web(), [404, 201, 0, 412, 404])
    #expect(own.outcome == "done" && own.asked.last == "HEAD /x/y/.t")
    let gone = run(try web(), [404, 201, 0, 404, 200])
    #expect(gone.outcome == "done" && gone.asked.last == "HEAD /x/y/1.tar")
    #expect(run(try web(), [404, 201, 404, 404]).outcome == "failed 404")
  }

  @Test("What may pass is tried again, and what is left of a failure is deleted")
  func retries() throws {
    let (asked, outcome, _) = run(try web(), [503, 404, 0, 429, 201, 500, 502, 503, 204])
    #expect(outcome == "failed 503" && asked.count == 9 && asked.last == "DELETE /x/y/.t")
    #expect(run(try web(), [404, 0], retries: 0).asked.last == "DELETE /x/y/.t")
    // An object that was refused at once is not there.
    #expect(run(try web(), [404, 403]).asked.count == 2)
  }

  @Test("A bucket gets one PUT that holds only if there is nothing")
  func condition() throws {
    let (asked, outcome, sent) = run(try bucket(), [404, 200])
    #expect(asked == ["HEAD /b/x/1.tar", "PUT /b/x/1.tar"] && outcome == "done")
    #expect(sent[1].fields.contains { $0.name == "If-None-Match" && $0.value == "*" })
    // Another attempt is on its way: it may fail.
    #expect(run(try bucket(), [404, 409, 200]).outcome == "done")
    // A store that knows no conditions says so.
    let without = run(try bucket(), [404, 501, 200])
    #expect(without.outcome == "doneUnguarded" && !without.sent[2].fields.contains { $0.name == "If-None-Match" })
    #expect(run(try bucket(), [403, 404]).outcome == "failed 404")
  }

  @Test(
    "An object that is there may be of the attempt whose answer was lost: its mark tells",
    arguments: ["mine", "another's"])
  func whose(mark: String) throws {
    let (asked, outcome, _) = run(
      try bucket(),
      [(404, "", []), (0, "", []), (412, "", []), (200, "", [("x-amz-meta-imgfetch-attempt", mark)])])
    #expect(asked.last == "HEAD /b/x/1.tar" && outcome == (mark == "mine" ? "done" : "lost"))
  }

  @Test("What is too large for one PUT goes up in parts, and is completed under the same condition")
  func parts() throws {
    let tag = [(name: "ETag", value: "\"<1>\"")]
    let script: Script = [
      (404, "", []), (200, "<R><UploadId>a/+=</UploadId></R>", []), (200, "", tag), (0, "", []), (200, "", tag),
      (200, "", tag), (200, "<CompleteMultipartUploadResult/>", []),
    ]
    let limits = PlaceCommit.Limits(single: 20, part: 10)
    let (asked, outcome, sent) = run(try bucket(length: 25), script, limits: limits)
    #expect(
      asked == [
        "HEAD /b/x/1.tar", "POST /b/x/1.tar?uploads=", "PUT /b/x/1.tar?partNumber=1&uploadId=a%2F%2B%3D",
        "PUT /b/x/1.tar?partNumber=2&uploadId=a%2F%2B%3D", "PUT /b/x/1.tar?partNumber=2&uploadId=a%2F%2B%3D",
        "PUT /b/x/1.tar?partNumber=3&uploadId=a%2F%2B%3D", "POST /b/x/1.tar?uploadId=a%2F%2B%3D",
      ] && outcome == "done", "\(asked)")
    guard case .file(20, 5) = sent[5].body, case .bytes(let document) = sent[6].body else {
      Issue.record("\(sent)")
      return
    }
    #expect(String(decoding: document, as: UTF8.self).contains("<PartNumber>3</PartNumber><ETag>\"&lt;1&gt;\"</ETag>"))
    #expect(sent[6].fields.map(\.value) == ["application/xml", "*"])
  }

  @Test(
    "An upload of parts that fails is aborted, also if that is said behind a 200",
    arguments: [
      (412, "", "lost"), (200, "<Error><Code>InternalError</Code></Error>", "failed 200"), (403, "", "failed 403"),
    ])
  func aborted(status: Int, body: String, outcome: String) throws {
    let script: Script = [
      (404, "", []), (200, "<R><UploadId>u</UploadId></R>", []), (200, "", [("ETag", "1")]), (200, "", [("ETag", "2")]),
      (200, "", [("ETag", "3")]), (status, body, []), (204, "", []), (204, "", []),
    ]
    let ended = run(try bucket(length: 25), script, limits: .init(single: 20, part: 10))
    #expect(ended.asked.last == "DELETE /b/x/1.tar?uploadId=u")
    #expect(status == 412 || ended.outcome == outcome, "\(ended)")
  }

  @Test("An object is never in more parts than are allowed")
  func partSize() {
    let limits = PlaceCommit.Limits()
    #expect(limits.partSize(of: 6 << 30) == 64 << 20)
    #expect((Int64(5) << 40) / limits.partSize(of: 5 << 40) <= 10_000)
  }

  @Test("A part of an object is read, or there is none, or the place sends no parts")
  func reading() throws {
    func read(_ status: Int, _ fields: [(name: String, value: String)], from offset: Int64 = 0) throws -> String {
      var read = PlaceRead(try WebURL("http://a.example/x"), from: offset, count: 4, RetryRule(limit: 0))
      guard case .send(let request, _) = read.begin() else { return "" }
      #expect(request.fields.map(\.value) == ["bytes=\(offset)-\(offset + 3)"])
      let answer = PlaceAnswer(status: status, fields: HeaderFields(fields), body: Array("0123456".utf8))
      _ = read.handle(.answered(answer), random: 0, now: WallTime(seconds: 0))
      switch read.result {
      case .success(let piece?): return "\(piece.bytes.count) of \(piece.total)"
      case .success(nil): return "none"
      case .failure(let error): return "\(error.kind)"
      case nil: return ""
      }
    }
    #expect(try read(206, [("Content-Range", "bytes 0-3/100")]) == "4 of 100")
    #expect(try read(206, [("Content-Range", "bytes 1-4/100")]) == "http")
    #expect(try read(200, [("Content-Length", "7")]) == "4 of 7")
    #expect(try read(200, [("Content-Length", "7")], from: 2) == "http")
    #expect(try read(404, []) == "none")
    #expect(try read(416, []) == "0 of 0")
    #expect(try read(403, []) == "http")
  }
}
