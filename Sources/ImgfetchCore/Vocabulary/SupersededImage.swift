/// An image that another one has replaced in the cache.
package struct SupersededImage: Sendable {
  package let hash: ContentHash
  package let facts: ImageFacts
}
