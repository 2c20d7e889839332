/// An image that was inspected.
package struct InspectedImage: Sendable {
  package let body: ImageBody
  package let facts: ImageFacts

  package init(body: ImageBody, facts: ImageFacts) {
    self.body = body
    self.facts = facts
  }
}
