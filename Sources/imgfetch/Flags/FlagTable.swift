/// The identifiers of the options, in the order of the table.
enum FlagID: UInt8, CaseIterable, Sendable {
  // Which images
  case input, null, shard, allowHost, denyHost, denyPrivate
  // Where they go
  case outputDir, output, name, clobber, overwrite, placeholder, remoteTime, failedList, failFast
  // Caches
  case cache, offline, cacheDir, namespace, readOnlyCache, memoryLimit, maxAge, maxSize, keyIgnoreQuery
  case keyIgnoreParam, cacheKey, retryFailed, skipFailed, stale, autoClean, cacheDerived
  // Network
  case jobs, perHost, order, limitRate, rate, timeout, connectTimeout, maxTime, retry, maxRedirects, maxBytes
  case acceptStatus, mirror, resolve, proxy, http1, ipv4, ipv6
  // Identity and trust
  case header, userAgent, referer, user, netrc, bearerFile, cookie, cookieJar, cacert, insecure
  // What is accepted
  case verify, sandbox, maxPixels, minSize, maxAspect, onlyFormat
  // Transforms
  case resize, fit, crop, autoOrient, flip, rotate, convert, quality, background, strip, firstFrame
  // What is printed
  case ordered, json, jsonHeaders, checksum, writeOut, report, print, exitZero, progress
  // The cache's own
  case exact, dryRun, repair, print0
  // General
  case quiet, verbose, color, config, help, version
}

extension Flag {
  /// The table, group by group, in the order of `FlagID`, which a test checks. The groups are not copied into one array: that took
  /// a third of the time of parsing a command line.
  static let groups: [[Flag]] = [
    ListFlags.selection, ListFlags.output, CacheFlags.cache, NetworkFlags.network, NetworkFlags.credentials,
    ImageFlags.image, ImageFlags.transform, ReportFlags.report, ReportFlags.maintenance, general,
  ]

  /// What every command takes.
  static let general = ReportFlags.general

  /// The whole table as one array, for help, the manual and the completions.
  static var all: [Flag] { Array(groups.joined()) }

  static func first(where matches: (Flag) -> Bool) -> Flag? {
    for group in groups {
      for flag in group where matches(flag) { return flag }
    }
    return nil
  }

  static func named(_ long: Substring) -> Flag? { first { $0.long == long } }

  static func short(_ letter: Unicode.Scalar) -> Flag? { first { $0.short == letter } }

  /// The options that a command takes, in the order of the table.
  static func taken(by command: Command) -> [Flag] { all.filter { $0.commands.contains(CommandSet(command)) } }
}

extension FlagID {
  /// Its row of the table. `FlagID` and the table have the same order, so this is one array access in one of the groups.
  var flag: Flag {
    var place = Int(rawValue)
    for group in Flag.groups {
      if place < group.count { return group[place] }
      place -= group.count
    }
    // Never reached: a test checks that the table has as many rows as there are identifiers.
    return Flag.general[0]
  }
}
