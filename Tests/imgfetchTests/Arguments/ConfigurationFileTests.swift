import Testing

@testable import imgfetch

@Suite struct ConfigurationFileTests {
  private func choice(_ arguments: String, _ environment: Environment) throws -> ConfigurationFile.Choice {
    try Arguments(arguments.split(separator: " ").map(String.init)).configuration(environment)
  }

  @Test func theFileToReadIsFound() throws {
    let home: Environment = ["HOME": "/h"]
    #expect(try choice("get u", home) == .usual(path: "/h/.config/imgfetch/config"))
    #expect(try choice("get u", ["HOME": "/h", "XDG_CONFIG_HOME": "/x"]) == .usual(path: "/x/imgfetch/config"))
    #expect(try choice("get u", ["HOME": "/h", "XDG_CONFIG_HOME": "x"]) == .usual(path: "/h/.config/imgfetch/config"))
    #expect(try choice("get u", [:]) == .none)
    #expect(try choice("get u", ["HOME": "."]) == .none)
    #expect(try choice("get u", ["HOME": "h", "XDG_CONFIG_HOME": "x"]) == .none)
    #expect(try choice("get u --config f", home) == .named(path: "f", source: .commandLine("--config")))
    #expect(try choice("get u --config f --no-config", home) == .none)
    #expect(
      try choice("get u", ["IMGFETCH_CONFIG": "/e", "HOME": "/h"])
        == .named(path: "/e", source: .environment("IMGFETCH_CONFIG")))
    #expect(try choice("get u", ["IMGFETCH_CONFIG": "", "HOME": "/h"]) == .none)
    #expect(try choice("cache size", home) == .usual(path: "/h/.config/imgfetch/config"))
  }

  @Test func helpNeedsNoFile() throws {
    let home: Environment = ["HOME": "/h"]
    for line in ["-h", "--version", "help", "help get", "get -h", "completions bash", ""] {
      #expect(try choice(line, home) == .none, "\(line)")
    }
    #expect(try choice("help options", home) == .usual(path: "/h/.config/imgfetch/config"))
  }
}
