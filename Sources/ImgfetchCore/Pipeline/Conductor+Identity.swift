// Who asks, on the network's thread.
extension Conductor {
  /// Whether the answer to a name and password sent as Basic is that Digest is wanted.
  func asksForDigest(_ head: ResponseHead, _ course: Course) -> Bool {
    // Not whether the origin has said so before: several requests may be out when it says it first.
    head.status == 401 && course.introduction?.login != nil && !course.asksByDigest
      && Challenge.offersDigest(head.fields)
  }
}
