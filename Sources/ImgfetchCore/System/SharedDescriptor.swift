/// An open file with several owners. It is closed with the last of them.
package final class SharedDescriptor: Sendable {
  package let file: Descriptor

  /// Takes ownership of `file`.
  package init(_ file: consuming Descriptor) { self.file = file }
}
