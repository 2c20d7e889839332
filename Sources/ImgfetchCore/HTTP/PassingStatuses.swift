/// The statuses that may be others when the same request is sent later.
enum PassingStatuses {
  static let all: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
}
