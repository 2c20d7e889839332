/// A picture of one sample a pixel.
struct GreyPicture: Sendable {
  let size: PixelSize
  let pixels: [UInt8]
}
