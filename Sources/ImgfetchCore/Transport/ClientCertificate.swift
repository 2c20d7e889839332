/// The files of a client's certificate and of its private key, in PEM.
package struct ClientCertificate: Hashable, Sendable {
  package var file: String
  /// The file of the key, or nil if the key is in the same file.
  package var key: String?
}
