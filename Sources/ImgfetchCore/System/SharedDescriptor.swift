/// An open file that several parts of an answer read from; closed when the last of them lets go.
package final class SharedDescriptor: Sendable {
  package let file: Descriptor
  package init(_ file: consuming Descriptor) { self.file = file }
}
