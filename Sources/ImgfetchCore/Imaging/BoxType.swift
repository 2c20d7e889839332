/// The four letters that name a box.
struct BoxType: Hashable, Sendable, ExpressibleByStringLiteral {
  let code: UInt32

  init(code: UInt32) { self.code = code }

  init(stringLiteral letters: StaticString) {
    code = letters.description.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }
}
