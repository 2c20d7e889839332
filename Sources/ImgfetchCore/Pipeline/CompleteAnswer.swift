/// A complete answer on its way to the waiters. A reference, so that an event can bring it without a copy.
final class CompleteAnswer: Sendable {
  let answer: Answer

  init(_ answer: consuming Answer) { self.answer = answer }
}
