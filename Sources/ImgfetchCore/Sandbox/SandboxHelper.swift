/// The process that decodes untrusted images.
///
/// It is the program's own binary, started again under a name of its own. It gives up everything but its channel
/// before it reads the first byte, then does one job after another until the channel closes, which happens at the
/// latest when the program ends.
///
/// Work that needs a library that is loaded late is done by a helper of another kind, which loads it
/// first and does nothing else.
package enum SandboxHelper {

  /// The limit of its address space. ``PixelMemory`` gives images at most three quarters of a gigabyte; an encoded
  /// image may have 256 MB and be held twice, and the rest is for the program itself.
  private static let memory: UInt64 = 1536 << 20

  /// Larger blocks are mapped. zimg's tables for a picture of extreme shape are blocks of tens of megabytes, made anew
  /// for each band of rows: on the heap, holes between them came to 300 MB.
  private static let mapped = 8 << 20

  /// Serves until the channel closes. Must be called first in a process that has done nothing yet.
  package static func serve(_ kind: HelperKind) {
    ProcessEnvironment.tuneMemory(mapping: mapped)
    ColourProfile.prepare()
    DetailWork.prepare()
    kind.prepare()
    let channel = HelperChannel()
    let means = channel.shutIn(memory: memory, allowsThreads: kind.needsThreads)
    SmallJPEG.turnOn()
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
      // From here on, a crash is blamed on this image.
      guard channel.send([SandboxMessage.begun]) else { return }
      if let shown = ShownWork(encoded: work) {
        guard answer(shown, body, job, channel) else { return }
      } else {
        guard send(perform(work, body, job), channel) else { return }
      }
    }
  }

  private static func singleWork(_ encoded: [UInt8]) -> (any PixelWork)? {
    if let check = encoded.first.flatMap(PixelCheck.init(rawValue:)) { return check }
    if let trial = SandboxTrial(encoded: encoded) { return trial }
    if let exif = ExifWork(encoded: encoded) { return exif }
    if let details = DetailWork(encoded: encoded) { return details }
    if let described = DescribedTransform(encoded: encoded) { return described }
    return ImageTransform(encoded: encoded)
  }

  private static func perform(
    _ encoded: [UInt8], _ body: ImageBody, _ job: SandboxMessage.Job
  ) -> Result<[UInt8], PixelFailure> {
    guard let work = singleWork(encoded) else { return .failure(.changed) }
    do throws(PixelFailure) { return .success(try work.run(body, job.facts, memory: job.memory)) } catch {
      return .failure(error)
    }
  }
}
