import Foundation
import TestSupport
import Testing

/// One process for each request, with a shared folder. Time passes through the ages in the answers.
@Suite("--cache http") struct HTTPCachingTests {
  private struct Object: Decodable {
    struct Failure: Decodable { var kind: String }
    var status: Int?
    var cache: String?
    var stale: Bool
    var revalidated: Bool
    var headers: [[String]]?
    var error: Failure?

    func values(of name: String) -> [String] {
      (headers ?? []).filter { $0.first?.lowercased() == name.lowercased() }.compactMap(\.last)
    }
  }

  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private func get(
    _ path: String, _ headers: String..., also: [String] = []
  ) throws -> (outcome: Outcome, object: Object, body: [UInt8]?) {
    var arguments = [
      "get", "--cache", "http", "--verify", "none", "--accept-status", "100-599", "--retry", "0", "--json",
      "--json-headers", "-o", "out",
    ]
    for header in headers { arguments += ["-H", header] }
    let outcome = try program.run(arguments + also + [server.url(path)])
    let line = try #require(outcome.lines.first, "\(outcome)")
    let object = try JSONDecoder().decode(Object.self, from: Data(line.utf8))
    return (outcome, object, program.folder.read("work/out"))
  }

  @Test("A fresh answer is served with its age, without a request")
  func fresh() throws {
    server.serve(
      "/a", .text("abc").with("Cache-Control", "max-age=3600").with("Age", "1800").with("X-Kept", "1"))
    #expect(try get("/a").object.cache == "none")
    let second = try get("/a")
    #expect(second.object.cache == "disk" && second.object.status == 200)
    #expect(second.body == Array("abc".utf8))
    let age = try #require(Int(second.object.values(of: "Age").first ?? ""))
    #expect((1800..<1860).contains(age))
    #expect(second.object.values(of: "X-Kept") == ["1"])
    #expect(server.count("/a") == 1)
  }

  @Test("A stale answer is revalidated, and its fields are updated from the 304")
  func validated() throws {
    server.on("/a") { request in
      request["If-None-Match"] == "\"1\""
        ? .status(304).with("Cache-Control", "max-age=3600").with("X-New", "2")
        : .text("abc").with("ETag", "\"1\"").with("Cache-Control", "max-age=3600").with("Age", "7200")
          .with("X-Old", "1")
    }
    _ = try get("/a")
    for (cache, isRevalidated) in [("disk", true), ("disk", false)] {
      let got = try get("/a").object
      #expect(got.cache == cache && got.revalidated == isRevalidated)
      #expect(got.values(of: "X-New") == ["2"] && got.values(of: "X-Old") == ["1"])
      #expect(got.values(of: "Cache-Control") == ["max-age=3600"])
    }
    #expect(server.count("/a") == 2)
  }

  @Test("A validator is sent back byte for byte, in any encoding")
  func exactValidator() throws {
    let tag: [UInt8] = [0x22, 0xE9, 0x22]
    server.on("/a") { _ in .text("abc").line(Array("ETag: ".utf8) + tag) }
    _ = try get("/a")
    _ = try get("/a")
    let head = try #require(server.requests.last?.head)
    let field = Array("If-None-Match: ".utf8) + tag
    #expect(head.indices.contains { head[$0...].starts(with: field) })
  }

  @Test("only-if-cached gives 504 and exit code 6 if nothing is stored")
  func onlyIfCached() throws {
    let got = try get("/a", "Cache-Control: only-if-cached")
    #expect(got.outcome.exitCode == 6)
    #expect(got.object.status == 504 && got.object.error?.kind == "offline")
    #expect(server.requests.isEmpty)
  }

  @Test("A stored error ends as it did the first time")
  func refusal() throws {
    server.serve("/a", .text("gone", status: 410).with("Cache-Control", "max-age=3600"))
    for _ in 1...2 {
      let outcome = try program.run("get", "--cache", "http", server.url("/a"))
      #expect(outcome.exitCode == 4, "\(outcome)")
      #expect(outcome.errorText.contains("410"))
    }
    #expect(server.count("/a") == 1)
  }

  @Test("Stored redirects lead to a stored image without a request")
  func redirects() throws {
    server.serve("/1", .redirect(to: "/2", status: 301).with("Cache-Control", "max-age=3600"))
    server.serve("/2", .redirect(to: "/a.png", status: 308).with("Cache-Control", "max-age=3600"))
    server.serve("/a.png", .ok(TestImages.png(width: 4, height: 3)).with("Cache-Control", "max-age=3600"))
    for cache in ["none", "disk"] {
      let outcome = try program.run("get", "--cache", "http", server.url("/1"))
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.rows.first?.first == cache)
    }
    #expect(server.requests.count == 3)
  }

  @Test("Offline, stored redirects are followed as far as they are stored")
  func offline() throws {
    server.serve("/1", .redirect(to: "/a.png", status: 301).with("Cache-Control", "max-age=0"))
    server.serve("/a.png", .ok(TestImages.png(width: 4, height: 3)).with("Cache-Control", "max-age=0"))
    #expect(try program.run("get", "--cache", "http", server.url("/1")).exitCode == 0)
    let stored = try program.run("get", "--offline", "-o", "-", server.url("/1"))
    #expect(stored.exitCode == 0 && stored.output == TestImages.png(width: 4, height: 3), "\(stored)")
    #expect(try program.run("cache", "remove", server.url("/a.png")).exitCode == 0)
    let missing = try program.run("get", "--offline", server.url("/1"))
    #expect(missing.exitCode == 6, "\(missing)")
    #expect(missing.errorText.contains("redirects (stored) to \(server.url("/a.png")), which is not in the cache"))
    #expect(server.requests.count == 2)
  }

  @Test("Within stale-while-revalidate the old answer is served, and the next run gets the new one")
  func staleWhileRevalidate() throws {
    server.on("/a") { request in
      .text("\(request.ordinal)").with("Cache-Control", "max-age=100, stale-while-revalidate=3600")
        .with("Age", request.ordinal == 1 ? "200" : "0")
    }
    _ = try get("/a")
    let second = try get("/a")
    #expect(second.object.stale && second.body == Array("1".utf8))
    #expect(server.count("/a") == 2)
    #expect(try get("/a").body == Array("2".utf8))
    #expect(server.count("/a") == 2)
  }

  @Test("-v explains each decision of the cache in one line, with its numbers")
  func verbose() throws {
    server.serve("/a", .text("abc").with("Cache-Control", "max-age=60").with("Age", "100"))
    let first = try get("/a", also: ["-v"])
    // The seconds for which the answer was on its way count, too.
    #expect(first.outcome.errorText.contains("stored with status 200, stale (age 10"), "\(first.outcome)")
    #expect(first.outcome.errorText.contains(" s, lifetime 60 s by max-age)"), "\(first.outcome)")
    let second = try get("/a", also: ["-v"])
    #expect(second.outcome.errorText.contains("stale (age 10"), "\(second.outcome)")
  }

  @Test("Under another policy the stored answer is judged by that policy")
  func otherPolicies() throws {
    server.serve("/a.png", .ok(TestImages.png(width: 4, height: 3)).with("Cache-Control", "max-age=60, no-store"))
    #expect(try program.run("get", server.url("/a.png")).rows.first?.first == "none")
    #expect(try program.run("get", "--max-age", "7d", server.url("/a.png")).rows.first?.first == "disk")
    // By the rules of HTTP it should not be there.
    #expect(try program.run("get", "--cache", "http", server.url("/a.png")).rows.first?.first == "none")
    #expect(server.count("/a.png") == 2)
  }
}
