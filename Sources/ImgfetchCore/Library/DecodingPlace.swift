/// The place where pixels are decoded. Codecs are large C libraries that read untrusted bytes.
public enum DecodingPlace: Sendable, Hashable {
  /// Pixels are decoded in this process, on its fetcher's threads: a flaw in a codec is a flaw of this program.
  case inProcess
  /// Pixels are decoded in helper processes of the given program, such as `/usr/bin/imgfetch`: without files, network
  /// or new processes (seccomp and Landlock). A flaw in a codec costs the image that uses it. Starting a
  /// helper takes two milliseconds, sending it an image some tens of microseconds. Own decoders
  /// (``PixelDecoder``) are called in this process.
  case helper(String)
}
