extension Typed {
  /// `--name`, `--name=value`, `--name value`, `--no-name`.
  static func long(
    _ argument: String, _ rest: inout ArraySlice<String>, command: Command?
  ) throws(UsageError) -> TypedOption {
    let body = argument.dropFirst(2)
    let equals = body.firstIndex(of: "=")
    let name = body[..<(equals ?? body.endIndex)]
    let joinedValue = equals.map { String(body[body.index(after: $0)...]) }
    // Not "--" + name: adding a Substring looks up witnesses at run time, a quarter of all the time that parsing takes.
    let spelling = "--" + String(name)

    if let flag = Flag.named(name) {
      guard flag.takesValue else {
        if joinedValue != nil { throw unexpectedValue(spelling, command) }
        return TypedOption(id: flag.id, spelling: spelling, value: .on)
      }
      guard let value = joinedValue ?? rest.popFirst() else { throw missingValue(of: flag, spelling, command) }
      return TypedOption(id: flag.id, spelling: spelling, value: .text(value))
    }
    if name.hasPrefix("no-"), let flag = Flag.named(name.dropFirst(3)), flag.isNegatable {
      if joinedValue != nil { throw unexpectedValue(spelling, command) }
      return TypedOption(id: flag.id, spelling: spelling, value: .negated)
    }
    throw unknown(String(name), command)
  }

  /// `-q`, `-j8`, `-j 8`, and joined: `-qj8`.
  static func joined(
    _ argument: String, _ rest: inout ArraySlice<String>, command: Command?
  ) throws(UsageError) -> [TypedOption] {
    var options: [TypedOption] = []
    var letters = argument.unicodeScalars.dropFirst()
    while let letter = letters.popFirst() {
      let spelling = "-\(letter)"
      guard let flag = Flag.short(letter) else {
        let whole = argument.dropFirst()
        // One dash before a long name is a slip worth naming.
        if let flag = Flag.named(whole) {
          throw UsageError("there is no option \(spelling); did you mean \(flag.spelling)?", help: helpCommand(command))
        }
        // wget has options of two letters behind one dash.
        let name = foreignHint(argument).isEmpty ? spelling : argument
        throw UsageError("there is no option \(name)\(foreignHint(name))", help: helpCommand(command))
      }
      guard flag.takesValue else {
        options.append(TypedOption(id: flag.id, spelling: spelling, value: .on))
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : String(Substring(letters)) else {
        throw missingValue(of: flag, spelling, command)
      }
      options.append(TypedOption(id: flag.id, spelling: spelling, value: .text(value)))
      break
    }
    return options
  }

  private static func missingValue(of flag: Flag, _ spelling: String, _ command: Command?) -> UsageError {
    UsageError("\(spelling) needs a value: \(spelling) \(flag.placeholder ?? "VALUE")", help: helpCommand(command))
  }

  private static func unexpectedValue(_ spelling: String, _ command: Command?) -> UsageError {
    UsageError("\(spelling) takes no value", help: helpCommand(command))
  }

  private static func unknown(_ name: String, _ command: Command?) -> UsageError {
    let hint = foreignHint("--" + name)
    guard hint.isEmpty else {
      return UsageError("there is no option --\(name)\(hint)", help: helpCommand(command))
    }
    if name.hasPrefix("no-"), let flag = Flag.named(name.dropFirst(3)) {
      let value = flag.standard.map { ", which is \($0) unless another value is given" } ?? ""
      return UsageError("--no-\(flag.long) does not undo \(flag.spelling)\(value)", help: helpCommand(command))
    }
    let flags = command.map(Flag.taken) ?? Flag.all
    let candidates = flags.map(\.long) + flags.filter(\.isNegatable).map { "no-" + $0.long }
    let question = Suggestion.question(for: name, among: candidates, lead: "--")
    return UsageError("there is no option --\(name)\(question)", help: helpCommand(command))
  }

  static func helpCommand(_ command: Command?) -> String {
    command.map { "imgfetch \($0.words) -h" } ?? "imgfetch --help"
  }
}
