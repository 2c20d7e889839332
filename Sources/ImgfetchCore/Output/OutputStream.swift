/// Writes an image to what cannot take anything back: standard output, a device, a pipe.
package enum OutputStream {
  /// A stored body is read twice: checked first, and only then written. `name` is what errors call the stream.
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
