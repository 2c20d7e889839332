// Who asks, on the network's thread.
extension Conductor {
  /// Whether the answer to a name and password sent as Basic is that Digest is wanted.
  func asksForDigest(_ head: ResponseHead, _ course: Course) -> Bool {
    head.status == 401 && course.introduction?.login != nil && !digesting.contains(course.url.origin)
      && Challenge.offersDigest(head.fields)
  }
}
