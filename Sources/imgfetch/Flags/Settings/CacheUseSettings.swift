import ImgfetchCore

/// Where the disk cache lies.
struct CacheLocation: Hashable, Sendable {
  /// Nil: neither `--cache-dir` nor XDG_CACHE_HOME nor HOME says where, so there is none.
  var folder: String?
  var namespace: String
}

extension CacheLocation {
  init(_ reader: SettingsReader, environment: Environment) throws(UsageError) {
    folder =
      try reader.text(.cacheDir)
      ?? environment.baseFolder("XDG_CACHE_HOME", underHome: ".cache").map { $0 + "/imgfetch" }
    namespace = try reader.value(.namespace, Values.namespace) ?? "default"
  }
}

/// How URLs become keys.
struct KeySettings: Hashable, Sendable {
  var ignoreQuery: Bool
  var ignoredParameters: [String]
  /// The key for the one URL, in place of what the URL says.
  var key: String?
}

extension KeySettings {
  init(_ reader: SettingsReader) throws(UsageError) {
    ignoreQuery = reader.isOn(.keyIgnoreQuery)
    ignoredParameters = try reader.texts(.keyIgnoreParam)
    key = try reader.text(.cacheKey)
  }
}

/// How far a cache may answer, and what it keeps.
struct CacheUseSettings: Hashable, Sendable {
  var policy: Choices.Policy
  var location: CacheLocation
  var readOnlyFolders: [String]
  var memoryLimit: Int
  var maxAge: Instant.Span
  var maxSize: Int
  var keys: KeySettings
  var retryFailed: Bool
  /// For how long no run asks again for what was gone or no image; nil: not at all.
  var skipFailed: Instant.Span?
  /// Whether a stale image is served where the origin cannot be reached.
  var stale: Bool
  var autoClean: Bool
  var derived: Bool
}

extension CacheUseSettings {
  init(_ reader: SettingsReader, environment: Environment) throws(UsageError) {
    policy = try reader.choice(.cache, or: .age)
    location = try CacheLocation(reader, environment: environment)
    readOnlyFolders = try reader.texts(.readOnlyCache)
    memoryLimit = try reader.size(.memoryLimit) ?? 0
    maxAge = try reader.span(.maxAge) ?? Instant.Span(nanoseconds: 0)
    maxSize = try reader.size(.maxSize) ?? 0
    keys = try KeySettings(reader)
    retryFailed = reader.isOn(.retryFailed)
    skipFailed = try reader.limit(.skipFailed)
    stale = reader.isOn(.stale)
    autoClean = reader.isOn(.autoClean)
    derived = reader.isOn(.cacheDerived)
  }
}
