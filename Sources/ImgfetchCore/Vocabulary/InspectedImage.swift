/// An image that was inspected.
package struct InspectedImage: Sendable {
  package let body: ImageBody
  package let facts: ImageFacts
}
