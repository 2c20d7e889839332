/// The file of the Python module that has the options as keywords: `Sources/Python/imgfetch/_options.py`. A test tells
/// when the file has to be made anew.
enum PythonOptions {
  static var text: String {
    var text = """
      \"""Made from the program's table of options by Scripts/manual: the options of each command as keywords.\"""
      from __future__ import annotations

      import os
      from typing import Dict, Mapping, Sequence, Tuple, TypedDict, Union

      Value = Union[str, int, float, "os.PathLike[str]", None]
      \"""Of an option with one value. None stands for an option that is not given.\"""
      Size = Union[Value, Tuple[int, int]]
      \"""WIDTHxHEIGHT as text, or as two numbers.\"""
      Values = Union[Value, Sequence[Union[str, int, float, "os.PathLike[str]"]]]
      \"""One, or several.\"""
      Pairs = Union[Values, Mapping[str, str]]
      \"""As they are typed, or names with their values.\"""
      Switch = Union[bool, None]
      \"""True gives --NAME, and False --no-NAME.\"""
      Implied = Union[bool, Value]
      \"""A switch that may have a value.\"""

      OPTIONS: Dict[str, Dict[str, Tuple[str, str]]] = {}
      \"""Of each command: the keyword, the option's name, and what it takes: switch, value, size, list (one option, with commas), values or pairs.\"""

      """
    for name in commands { text += section(name, Command.allCases.first { $0.words == name }) }
    return text
  }

  /// The commands that the module has functions for.
  private static let commands = ["get", "pack", "find", "inspect", "report"]

  /// The options that the module gives by itself: about the form of results, and the place of a list.
  private static let own: Set<String> = [
    "input", "null", "output", "framed", "json", "ordered", "write-out", "print", "progress", "preview", "color",
    "quiet", "verbose",
    "config", "help", "version", "rows", "from",
  ]

  private static func section(_ words: String, _ command: Command?) -> String {
    let flags = command.map(Flag.taken(by:)) ?? []
    let taken = flags.filter { !own.contains($0.long) && (command != .get || !ofTables.contains($0.long)) }
    let name = words.prefix(1).uppercased() + words.dropFirst() + "Options"
    var text = "\n\nclass \(name)(TypedDict, total=False):\n    \"\"\"The options of imgfetch \(words).\"\"\"\n\n"
    for flag in taken { text += "    \(keyword(flag)): \(type(flag).hint)\n    \"\"\"\(sentence(flag))\"\"\"\n" }
    text += "\n\nOPTIONS[\"\(words)\"] = {\n"
    for flag in taken { text += "    \"\(keyword(flag))\": (\"\(flag.long)\", \"\(type(flag).kind)\"),\n" }
    return text + "}\n"
  }

  /// The URLs of `get` come from the program that calls it.
  private static let ofTables: Set<String> = ["list-format", "url-column", "max-list"]

  private static func keyword(_ flag: Flag) -> String {
    String(
      decoding: flag.long.utf8.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") ? UInt8(ascii: "_") : $0 },
      as: UTF8.self)
  }

  private static func type(_ flag: Flag) -> (hint: String, kind: String) {
    if !flag.takesValue { return ("Switch", "switch") }
    if pairs.contains(flag.long) { return ("Pairs", "pairs") }
    if flag.isRepeatable { return ("Values", "values") }
    if flag.implied != nil { return ("Implied", "switch") }
    if flag.placeholder == "LIST" { return ("Values", "list") }
    if case .list = flag.completion { return ("Values", "list") }
    if sizes.contains(flag.long) { return ("Size", "size") }
    return ("Value", "value")
  }

  /// The options whose values have a name.
  private static let pairs: Set<String> = ["header", "cookie"]
  /// The options whose values are a width and a height.
  private static let sizes: Set<String> = ["resize", "min-size", "crop"]

  /// A switch that is on has the help of its negation.
  private static func sentence(_ flag: Flag) -> String {
    var text = ""
    for scalar in flag.help.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { text.unicodeScalars.append("\\") }
      text.unicodeScalars.append(scalar)
    }
    return (flag.isOnByDefault ? "False: \(text)" : text.prefix(1).uppercased() + text.dropFirst()) + "."
  }
}
