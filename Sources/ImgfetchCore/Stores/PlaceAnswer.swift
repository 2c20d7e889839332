/// An answer in a conversation with a place.
struct PlaceAnswer: Sendable {
  var status: Int
  var fields = HeaderFields()
  var body: [UInt8] = []
  /// The hash of the body, if it was asked for.
  var digest: ContentHash?

  var isSuccess: Bool { (200..<300).contains(status) }
  var isAbsent: Bool { status == 404 || status == 410 }
}
