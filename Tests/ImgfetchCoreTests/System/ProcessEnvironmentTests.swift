import Glibc
import ImgfetchCore
import TestSupport
import Testing

@Suite("Terminals are told apart") struct TerminalTests {
  @Test func aTerminalIsTheSameThroughEachDescriptor() throws {
    let (one, other) = (try OpenTerminal(), try OpenTerminal())
    let again = dup(one.descriptor)
    defer { close(again) }
    #expect(ProcessEnvironment.isSameTerminal(one.descriptor, again))
    #expect(!ProcessEnvironment.isSameTerminal(one.descriptor, other.descriptor))
  }

  @Test("A container's terminals have the numbers of others, and are told apart from them")
  func terminalsOfTwoSets() throws {
    let (one, other) = (try OpenTerminal(inSetOfItsOwn: true), try OpenTerminal(inSetOfItsOwn: true))
    #expect(!ProcessEnvironment.isSameTerminal(one.descriptor, other.descriptor))
    let again = dup(one.descriptor)
    defer { close(again) }
    #expect(ProcessEnvironment.isSameTerminal(one.descriptor, again))
  }

  @Test func otherFilesAreNotTheSameTerminal() throws {
    let terminal = try OpenTerminal()
    let file = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(file) }
    #expect(!ProcessEnvironment.isSameTerminal(terminal.descriptor, file))
    #expect(!ProcessEnvironment.isSameTerminal(file, file))
  }
}
