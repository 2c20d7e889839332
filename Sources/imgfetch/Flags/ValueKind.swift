/// What an option's value is: decides how it is checked, what an error says is allowed, and what a shell completes.
enum ValueKind: Sendable {
  case text
  case file
  case folder
  case url
  case hostPattern
  case proxy
  case choice(any Choice.Type)
  /// Several words, separated by commas.
  case choices(any Choice.Type)
  case size
  case duration
  case count(ClosedRange<Int>)
  case rate
  case shard
  case statuses
  case header
  case user
  case address
  case namespace
  case dimensions
  case ratio
  case resizing
  case cropping
  case colour
  /// Text with fields in braces, which must be among these.
  case template(fields: [String])
}
