import CCurlShim
import CDeflate
import CHashShim
import CIdn2
import CZlib

/// The versions of the libraries that this was built with. Asking loads nothing.
package enum BuildVersions {
  package static var libcurl: String { LIBCURL_VERSION }
  package static var zlib: String { ZLIB_VERSION }
  package static var libdeflate: String { LIBDEFLATE_VERSION_STRING }
  package static var libidn2: String { IDN2_VERSION }
  package static var xxHash: String {
    let number = imgfetch_hash_version()
    return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
  }
}
