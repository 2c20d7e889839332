/// A file, or a part of one, that is sent as the body of a PUT.
package struct Upload: Sendable {
  package let file: SharedDescriptor
  /// The offset of the upload in the file.
  package let start: Int64
  package let length: Int64

  package init(file: SharedDescriptor, from start: Int64 = 0, length: Int64) {
    self.file = file
    self.start = start
    self.length = length
  }
}
