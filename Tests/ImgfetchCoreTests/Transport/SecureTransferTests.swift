import ImgfetchCore
import TestSupport
import Testing

/// TLS and HTTP/2, with nginx as the server.
@Suite struct SecureTransferTests {
  let server: Nginx

  init() throws {
    let files = try TemporaryFolder()
    for number in 0..<60 { try files.write("\(number).jpg", [UInt8](repeating: UInt8(number), count: 1000)) }
    server = try Nginx(serving: files)
  }

  private func options(_ change: (inout NetworkOptions) -> Void = { _ in }) -> NetworkOptions {
    var options = NetworkOptions()
    options.caFile = server.certificate.authority
    change(&options)
    return options
  }

  @Test func manyTransfersShareOneConnectionOverHTTP2() throws {
    let loop = try RecordedLoop(options())
    let numbers = (0..<60).map { loop.start(server.secureURL("/\($0).jpg")) }
    var opened = 0
    for (number, id) in numbers.enumerated() {
      let record = try loop.wait(for: id) { $0.end != nil }
      #expect(record.isComplete)
      #expect(record.head?.httpVersion == .http2)
      #expect(record.head?.contentLength == 1000)
      #expect(record.pieces.count == 1)
      #expect(record.body.count == 1000)
      #expect(record.body.allSatisfy { $0 == UInt8(number) })
      if record.head?.isConnectionReused == false { opened += 1 }
    }
    #expect(opened == 1)
  }

  /// Requests that begin together are held back on the open connections, which are closed meanwhile. libcurl repeats a
  /// request up to five times; then it reports a lost connection, and further attempts are up to its caller.
  @Test func connectionsThatTheServerClosesAfterAFewResponses() throws {
    let server = try Nginx(serving: server.files, directives: "keepalive_requests 4;")
    let loop = try RecordedLoop(options { $0.caFile = server.certificate.authority })
    var complete = 0
    for round in 0..<5 {
      let numbers = round * 12..<(round + 1) * 12
      for (number, id) in zip(numbers, numbers.map { loop.start(server.secureURL("/\($0).jpg")) }) {
        let record = try loop.wait(for: id) { $0.end != nil }
        #expect(record.isComplete || record.failure?.isTransient == true, "\(record.failure?.reason ?? "")")
        #expect(!record.isComplete || record.body == [UInt8](repeating: UInt8(number), count: 1000))
        #expect(!record.isComplete || record.head?.httpVersion == .http2)
        complete += record.isComplete ? 1 : 0
      }
    }
    #expect(complete >= 20)
  }

  @Test func onlyHTTP1WhereThatIsRequested() throws {
    let loop = try RecordedLoop(options { $0.httpVersion = .http1 })
    let record = try loop.fetch(server.secureURL("/1.jpg"))
    #expect(record.isComplete)
    #expect(record.head?.httpVersion == .http1_1)
  }

  @Test func anUntrustedCertificateIsRefused() throws {
    let record = try RecordedLoop().fetch(server.secureURL("/1.jpg"))
    #expect(record.failure?.kind == .tls)
    #expect(record.failure?.reason.contains("certificate") == true, "\(record.failure?.reason ?? "")")
    #expect(record.failure?.isTransient == false)
  }

  @Test func aServerWithoutTLSIsNamed() throws {
    let url = server.url("/1.jpg").replacing("http:", with: "https:")
    let failure = try RecordedLoop().fetch(url).failure
    #expect(failure?.kind == .tls)
    #expect(failure?.reason.hasPrefix("the secure connection failed: ") == true)
  }

  @Test func anUncheckedCertificateIsAccepted() throws {
    var options = NetworkOptions()
    options.isInsecure = true
    #expect(try RecordedLoop(options).fetch(server.secureURL("/1.jpg")).isComplete)
  }

  @Test func aMissingFileOfCertificatesIsNamed() throws {
    var options = NetworkOptions()
    options.caFile = "/nowhere/ca.pem"
    let failure = try RecordedLoop(options).fetch(server.secureURL("/1.jpg")).failure
    #expect(failure?.kind == .tls)
    #expect(failure?.reason.contains("/nowhere/ca.pem") == true, "\(failure?.reason ?? "")")
  }

  @Test func oneTransferOverHTTP2IsAbortedAlone() throws {
    let loop = try RecordedLoop(options())
    loop.records.change { $0.decide = { $0.status == 404 ? .stop : .receive } }
    #expect(try loop.fetch(server.secureURL("/1.jpg")).isComplete)
    #expect(try loop.fetch(server.secureURL("/none")).isStopped)
    let record = try loop.fetch(server.secureURL("/2.jpg"))
    #expect(record.isComplete)
    #expect(record.head?.isConnectionReused == true)
  }
}
