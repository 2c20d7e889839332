/// A complete answer with a small body that is not the image: a redirect or an error. HTTP's rules keep those, too.
/// Servers put a sentence or a page into the body. The transport breaks off a longer one
/// (``HeadDecision/receiveShort``), and nothing is kept.
struct SideAnswer: Sendable {
  let head: AnswerHead
  var body: [UInt8] = []

  init(_ head: AnswerHead) { self.head = head }
}
