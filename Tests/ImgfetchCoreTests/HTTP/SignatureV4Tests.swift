import Testing

@testable import ImgfetchCore

@Suite("Signature Version 4") struct SignatureV4Tests {
  /// An example that Amazon has published, with its published result.
  struct Example: CustomTestStringConvertible, Sendable {
    let name: String
    var secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    var service = "s3"
    /// In seconds.
    var time: Int64 = 1_369_353_600
    let request: SignatureV4.Request
    let signedNames: String
    let signature: String

    var testDescription: String { name }

    var signer: SignatureV4 {
      SignatureV4(
        keys: S3Account.Keys(accessKey: service == "s3" ? "AKIAIOSFODNN7EXAMPLE" : "AKIDEXAMPLE", secretKey: secret),
        region: "us-east-1", service: service, time: WallTime(nanoseconds: time * 1_000_000_000))
    }
  }

  private static func stored(
    _ path: String, _ query: String? = nil, method: String = "GET", payload: String = SignatureV4.emptyPayload,
    fields: [(name: String, value: String)] = []
  ) -> SignatureV4.Request {
    SignatureV4.Request(
      method: method, path: path, query: query,
      fields: [
        (name: "Host", value: "examplebucket.s3.amazonaws.com"), (name: "x-amz-content-sha256", value: payload),
        (name: "x-amz-date", value: "20130524T000000Z"),
      ] + fields, payload: payload)
  }

  /// The examples of "Signature Calculations for the Authorization Header" for S3, and of the general specification.
  static let examples: [Example] = [
    Example(
      name: "GET an object", request: stored("/test.txt", fields: [(name: "Range", value: "bytes=0-9")]),
      signedNames: "host;range;x-amz-content-sha256;x-amz-date",
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Example(
      name: "PUT an object whose key has a dollar",
      request: stored(
        "/test$file.text", method: "PUT", payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
        fields: [
          (name: "Date", value: "Fri, 24 May 2013 00:00:00 GMT"),
          (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
        ]),
      signedNames: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Example(
      name: "GET a bucket's lifecycle", request: stored("/", "lifecycle"),
      signedNames: "host;x-amz-content-sha256;x-amz-date",
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      name: "list objects", request: stored("/", "max-keys=2&prefix=J"),
      signedNames: "host;x-amz-content-sha256;x-amz-date",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    Example(
      name: "list objects, the query in another order", request: stored("/", "prefix=J&max-keys=2"),
      signedNames: "host;x-amz-content-sha256;x-amz-date",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    Example(
      name: "get-vanilla", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", service: "service", time: 1_440_938_160,
      request: SignatureV4.Request(
        path: "/",
        fields: [(name: "Host", value: "example.amazonaws.com"), (name: "X-Amz-Date", value: "20150830T123600Z")],
        payload: SignatureV4.emptyPayload), signedNames: "host;x-amz-date",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Example(
      name: "list users", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", service: "iam", time: 1_440_938_160,
      request: SignatureV4.Request(
        path: "/", query: "Action=ListUsers&Version=2010-05-08",
        fields: [
          (name: "Content-Type", value: "application/x-www-form-urlencoded;  charset=utf-8"),
          (name: "Host", value: "iam.amazonaws.com"), (name: "X-Amz-Date", value: "20150830T123600Z"),
        ], payload: SignatureV4.emptyPayload), signedNames: "content-type;host;x-amz-date",
      signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"),
  ]

  @Test("The published examples come out as published", arguments: examples)
  func published(example: Example) {
    #expect(example.signer.signature(of: example.request) == example.signature)
    let authorization = example.signer.authorization(for: example.request)
    #expect(authorization.contains("SignedHeaders=\(example.signedNames), "))
    #expect(authorization.hasSuffix("Signature=\(example.signature)"))
    #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=\(example.signer.keys.accessKey)/"))
  }

  @Test(
    "A path is signed in one form, however it is escaped",
    arguments: ["/a b+ü/~.txt", "/a%20b%2B%C3%BC/%7E.txt", "/a%20b+%c3%bc/~%2Etxt"])
  func oneForm(path: String) {
    let canonical = SignatureV4.canonicalRequest(Self.stored(path))
    #expect(canonical.split(separator: "\n")[1] == "/a%20b%2B%C3%BC/~.txt")
  }

  @Test(
    "Every byte but letters, digits, - . _ ~ and / is escaped, in capitals", arguments: 0..<256)
  func everyByte(byte: Int) throws {
    let byte = UInt8(byte)
    let encoded = SignatureV4.encoded([byte], keepingSlashes: true)
    let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8
    if plain.contains(byte) {
      #expect(encoded.utf8.elementsEqual([byte]))
    } else {
      let digits = String(byte, radix: 16, uppercase: true)
      #expect(encoded == "%\(digits.count == 1 ? "0" : "")\(digits)")
    }
  }
}
