/// The four letters that name a box.
struct BoxType: Hashable, Sendable, ExpressibleByStringLiteral {
  let code: UInt32

  init(code: UInt32) { self.code = code }

  init(stringLiteral letters: StaticString) {
    // No `String` is made of them: a type is compared with dozens of these for each box.
    code = letters.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }
}
