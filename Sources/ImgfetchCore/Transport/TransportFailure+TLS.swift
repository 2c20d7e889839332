import CCurlShim

// Why a secure connection could not be made, and what is missing for it.
extension TransportFailure {
  /// Nil where the failure is none of TLS.
  static func secureFailure(_ facts: Circumstances) -> TransportFailure? {
    switch facts.code {
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_USE_SSL_FAILED:
      break
    default: return nil
    }
    let (reason, cause) = judgeCertificate(facts) ?? judgeSpeech(facts)
    return TransportFailure(
      .tls, "the secure connection failed: \(reason)", receivedAnything: facts.receivedAnything, cause: cause)
  }

  /// By OpenSSL's numbers, which are those of every version (x509_vfy.h). Other libraries leave it to libcurl's words.
  private static func judgeCertificate(_ facts: Circumstances) -> (String, Cause?)? {
    guard facts.code == CURLE_PEER_FAILED_VERIFICATION else { return nil }
    return switch facts.certificateVerdict {
    case 18: ("the server's certificate is signed by itself, and not among those that are trusted", .unknownAuthority)
    case 19: ("the authority behind the server's certificate is not among those that are trusted", .unknownAuthority)
    case 2, 20, 21:
      (
        "the certificate of the authority that signed the server's is missing: it is not among those that are trusted, and the "
          + "server does not send it", .unknownAuthority
      )
    case 9: ("the server's certificate is not valid yet, by this machine's clock", nil)
    case 10: ("the server's certificate has expired, by this machine's clock", nil)
    default: nil
    }
  }

  private static func judgeSpeech(_ facts: Circumstances) -> (String, Cause?) {
    if facts.code == CURLE_SSL_CACERT_BADFILE {
      return ("the certificates to trust cannot be read: \(words(facts))", .noAuthorities)
    }
    // OpenSSL's and GnuTLS's words for an answer that is no TLS record.
    let isPlain = ["wrong version number", "packet length too long", "unexpected TLS packet"].contains {
      facts.text.holds($0)
    }
    if isPlain { return ("the server answers there, but not over TLS", .plainServer) }
    let isUnknown = facts.code == CURLE_PEER_FAILED_VERIFICATION && facts.text.holds("self-signed certificate")
    return (words(facts), isUnknown ? .unknownAuthority : nil)
  }
}
