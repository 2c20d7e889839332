/// Writes an image to a file that cannot be rolled back: standard output, a device, a pipe.
package enum OutputStream {
  /// Writes the body. A stored one is read twice: it is checked before anything is written. `name` is the stream's name
  /// in errors.
  package static func write(
    _ body: ImageBody, to stream: borrowing Descriptor, named name: String
  ) throws(OutputFailure) {
    do {
      if !body.isChecked { try body.read { (_) throws(SystemError) in } }
      try body.read { (piece) throws(SystemError) in try stream.write(piece) }
    } catch {
      throw OutputFailure(error, name)
    }
  }
}
