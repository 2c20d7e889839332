/// The process in which strangers' pixels are touched.
///
/// The program's own binary, started again under a name of its own. It gives up everything but its channel before it reads the
/// first byte, then does what it is told, one job after another, until the channel ends. It ends with the program, however that
/// ends.
package enum SandboxHelper {
  /// What it is called, and by what it knows what it is.
  package static let name = "imgfetch-pixels"

  /// Three quarters of a gigabyte are the most that images are given (``PixelMemory``); an encoded one may be as large as 256 MB
  /// and lie there twice, and the rest is for the program itself.
  private static let memory: UInt64 = 1536 << 20

  /// Serves until there is nobody to serve. To be called first of all, in a process that has done nothing yet.
  package static func serve() {
    Surroundings.tuneMemory()
    ColourProfile.prepare()
    let channel = HelperChannel()
    let means = channel.shutIn(memory: memory)
    guard channel.send([UInt8(truncatingIfNeeded: means)]) else { return }
    while let head = channel.receive(SandboxMessage.Job.size) {
      guard let job = SandboxMessage.Job(head.bytes), let work = channel.receive(job.workLength)?.bytes else { return }
      let body: ImageBody
      if job.isFile {
        guard let file = head.file else { return }
        body = ImageBody(.file(.init(descriptor: file, length: job.bodyLength, expectedHash: nil)))
      } else {
        guard let length = Int(exactly: job.bodyLength), let bytes = channel.receive(length)?.bytes else { return }
        body = ImageBody(.bytes(bytes))
      }
      // From here on a death is this image's doing.
      guard channel.send([SandboxMessage.begun]) else { return }
      let answer = SandboxMessage.Reply.bytes(of: perform(work, body, job))
      guard channel.send(answer.head), answer.rest.isEmpty || channel.send(answer.rest) else { return }
    }
  }

  private static func perform(
    _ work: [UInt8], _ body: ImageBody, _ job: SandboxMessage.Job
  ) -> Result<[UInt8], PixelFailure> {
    do throws(PixelFailure) {
      if let check = work.first.flatMap(PixelCheck.init(rawValue:)) {
        return .success(try check.run(body, job.facts, memory: job.memory))
      }
      if let trial = SandboxTrial(encoded: work) {
        return .success(try trial.run(body, job.facts, memory: job.memory))
      }
      if let transform = ImageTransform(encoded: work) {
        return .success(try transform.run(body, job.facts, memory: job.memory))
      }
      return .failure(.changed)
    } catch { return .failure(error) }
  }
}
