/// A colour as a picture has it, with room for the errors that dithering carries on.
struct PictureColour: Hashable, Sendable {
  var red: Int
  var green: Int
  var blue: Int
}
