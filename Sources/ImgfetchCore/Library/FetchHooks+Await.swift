extension FetchHooks {
  /// Sets ``beforeAsking`` to a closure that awaits: a token, say, that has to be fetched first. It is compiled into
  /// the calling program, see `AwaitedRequest`.
  @export(implementation)
  public mutating func awaitBeforeAsking(
    _ fields: @escaping @Sendable (FetchRequest) async throws(FetchError) -> [(name: String, value: String)]
  ) {
    beforeAsking = { request, done in
      Task {
        do throws(FetchError) { done(.success(try await fields(request))) } catch { done(.failure(error)) }
      }
    }
  }
}
