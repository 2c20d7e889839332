/// Makes errors of the answers of places, with advice.
enum PlaceErrors {
  static func refusal(_ answer: PlaceAnswer, of request: String, _ url: WebURL) -> FetchError {
    let code = S3Document.errorCode(in: answer.body).map { " (\($0))" } ?? ""
    let advice = advice(answer.status, url).map { ": \($0)" } ?? ""
    return FetchError(
      .http, url.display, "the place answers \(StatusPhrase.of(answer.status))\(code) to a \(request)\(advice)",
      isTransient: PassingStatuses.all.contains(answer.status), status: answer.status)
  }

  private static func advice(_ status: Int, _ url: WebURL) -> String? {
    switch status {
    case 300..<400: "places are not followed elsewhere; give the URL that it leads to"
    // Stores say so in the body, which the answer to a HEAD lacks.
    case 400 where url.account?.keys?.sessionToken != nil: "the session token may be wrong, or no longer valid"
    case 401: "it wants to know who asks"
    case 403: "the account may not do that there"
    case 404 where S3Account.isAddress(url.typed): "is there such a bucket?"
    case 405 where !S3Account.isAddress(url.typed), 501 where !S3Account.isAddress(url.typed):
      "a server is wanted that takes PUT, MOVE and DELETE (nginx: dav_methods PUT DELETE MKCOL MOVE)"
    case 409: "the folder is missing, and cannot be made (nginx: create_full_put_path on)"
    case 413: "it takes no files of that size (nginx: client_max_body_size 0)"
    case 507: "it has no room"
    default: nil
    }
  }
}
