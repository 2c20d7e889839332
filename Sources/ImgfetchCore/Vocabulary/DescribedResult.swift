/// A derived image, and details of the image that it was made of.
package struct DescribedResult: Sendable {
  package let made: InspectedImage
  package let details: ImageDetails
}
