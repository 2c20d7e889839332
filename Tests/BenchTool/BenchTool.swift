import CTestSupport
import Glibc
import TestSupport

/// A tool for `Scripts/bench`, with the commands that a shell lacks. No part of the product.
///
///     bench-tool fill FOLDER COUNT DAYS    fills a cache with COUNT entries, stored and used DAYS days ago
///     bench-tool run COMMAND...            runs it, and prints its nanoseconds, its processor time and the most
///                                          memory that it had, in KiB
///     bench-tool weigh COMMAND...          the same, with less memory than this tool has itself, and a slower start
///     bench-tool draw FOLDER COUNT BYTES   draws COUNT different pictures of that size
///     bench-tool worst FOLDER BYTES        writes the files of about that size that are the most expensive to walk
///     bench-tool library FOLDER            prints what the library does in a second, by itself, with a cache in FOLDER
///     bench-tool port                      prints a free port
///     bench-tool admission LINES HOSTS     prints the connections and the waiting of a list of LINES lines, of hosts
///                                          that are as frequent as words, simulated
///     bench-tool fleet SPEED LATENCY       prints the cost of a list of 1e9 URLs for 1 to 1,000 machines, each
///                                          of which manages SPEED images a second, of origins that answer
///                                          within LATENCY seconds
@main
enum BenchTool {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "fill" where arguments.count == 4:
      guard let count = Int(arguments[2]), let days = Double(arguments[3]) else { break }
      do { try CacheFilling(root: arguments[1], count: count, daysAgo: days).run() } catch { fail("\(error)") }
      return
    case "run" where arguments.count > 1, "weigh" where arguments.count > 1:
      guard let run = MeasuredRun(Array(arguments.dropFirst()), isCopied: arguments[0] == "weigh") else {
        fail("\(arguments[1]) cannot be run")
      }
      print(run.nanoseconds, run.processorNanoseconds, run.peakKilobytes)
      exit(run.status)
    case "draw" where arguments.count == 4:
      guard let count = Int(arguments[2]), let size = Int(arguments[3]) else { break }
      if !Pictures(folder: arguments[1], count: count, size: size).draw() {
        fail("\(arguments[1]) cannot be written to")
      }
      return
    case "worst" where arguments.count == 3:
      guard let size = Int(arguments[2]) else { break }
      for worst in WorstCase.all {
        let path = "\(arguments[1])/\(worst.name)"
        guard let file = fopen(path, "w") else { fail("\(path) cannot be written to") }
        let bytes = worst.make(size)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0 else {
          fail("\(path) cannot be written to")
        }
      }
      return
    case "library" where arguments.count == 2:
      do { try await LibraryRun(folder: arguments[1]).run() } catch { fail("\(error)") }
      return
    case "port":
      guard let port = FreePort.find() else { fail("there is no free port") }
      print(port)
      return
    case "admission" where arguments.count == 3:
      guard let lines = Int(arguments[1]), let hosts = Int(arguments[2]), lines > 0, hosts > 0 else { break }
      simulateAdmission(lines: lines, hosts: hosts)
      return
    case "fleet" where arguments.count == 3:
      guard let speed = Double(arguments[1]), let latency = Double(arguments[2]), speed > 0, latency > 0 else { break }
      FleetSimulation(speed: speed, latency: latency).run()
      return
    default: break
    }
    fail(
      "usage: bench-tool fill FOLDER COUNT DAYS | run COMMAND... | weigh COMMAND... | draw FOLDER COUNT BYTES | worst FOLDER BYTES | library FOLDER | port | admission LINES HOSTS | fleet SPEED LATENCY"
    )
  }

  private static func simulateAdmission(lines: Int, hosts: Int) {
    let list = ListSimulation.zipf(lines: lines, hosts: hosts, seed: 1)
    for sparesConnections in [false, true] {
      var simulation = ListSimulation(lines: list, sparesConnections: sparesConnections)
      let before = test_allocated_bytes()
      var most = before
      let outcome = simulation.run { most = max(most, test_allocated_bytes()) }
      let handshakes = Double(outcome.connections * 100 / max(1, outcome.origins)) / 100
      print(
        """
        \(sparesConnections ? "sparing connections" : "in order"): \(handshakes) handshakes a host (\(outcome.origins) \
        hosts), at most \(outcome.mostOpen) open; \(Int(outcome.seconds)) s; a line waits \(Int(outcome.longestWait)) s at \
        most and lets \(outcome.mostOvertaken) start; \(outcome.mostAside) lines put aside; \
        \((most - before) >> 20) MB
        """)
    }
  }

  private static func fail(_ message: String) -> Never {
    let line = Array("bench-tool: \(message)\n".utf8)
    _ = write(2, line, line.count)
    exit(2)
  }
}
