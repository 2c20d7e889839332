/// A file that a sink lends, without a name.
package struct LentFile: Sendable {
  package let file: SharedDescriptor
  /// The offset in the file at which the body goes.
  package let start: Int64
  /// The number of bytes in the file for this body, if other images go into it, too. With nil the file is
  /// empty, and the body's alone.
  package let room: Int64?
  /// The folder of the file, for messages.
  package let folder: String

  package init(_ file: SharedDescriptor, in folder: String, from start: Int64 = 0, room: Int64? = nil) {
    self.file = file
    self.start = start
    self.room = room
    self.folder = folder
  }
}
