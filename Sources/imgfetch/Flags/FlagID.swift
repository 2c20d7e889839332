/// The identifiers of the options, in the order of the table.
enum FlagID: UInt8, CaseIterable, Sendable {
  // Images
  case input, recursive, null, listFormat, urlColumn, maxList, shard, allowHost, denyHost, denyPrivate, robots,
    refuseTag
  // Sources
  case from, kind, allSizes, base, sameHost, maxPage, maxPages, table
  // Where they go
  case outputDir, output, name, clobber, adopt, overwrite, placeholder, remoteTime, xattr, contentDisposition, prune
  case failedList, failFast
  // Data sets
  case perShard, shardBy, splitHost, again, maxTransient, ignoreRobotsTag, rows
  case maxInvalid, memberExt, without, purpose, refuseNoindex, extend, stats
  case captionColumn, idColumn, hashColumn, `where`
  // Pictures
  case picture, grid, size, still, preview
  // Reports
  case against, list, html, pictures, duplicates, keep, same, unique
  // Caches
  case cache, offline, cacheDir, namespace, readOnlyCache, memoryLimit, memoryCount, maxAge, maxSize
  case keyIgnoreQuery, keyIgnoreParam, keyIgnoreHeader, cacheKey, retryFailed, skipFailed, stale, autoClean,
    cacheDerived
  case remoteCache, remoteCacheMode, remoteCacheTimeout, remoteCacheWait
  // Network
  case jobs, perHost, order, limitRate, rate, timeout, leastSpeed, connectTimeout, maxTime, retry
  case outage, maxRedirects, allowDowngrade
  case maxBytes
  case acceptFormats, acceptStatus, mirror, resolve, proxy, http1, ipv4, ipv6
  // Identity and trust
  case header, userAgent, contact, referer, user, netrc, bearerFile, cookie, cookieJar, cacert, cert, key
  case insecure, storeBearerFile, storeCert, storeKey
  // Accepted images
  case verify, strict, sandbox, maxPixels, minSize, maxAspect, onlyFormat
  // Transforms
  case resize, fit, pad, crop, autoOrient, flip, rotate, convert, quality, speed, background, strip, keepMetadata
  case firstFrame
  // Output
  case ordered, json, framed, jsonHeaders, checksum, fingerprint, exif, writeOut, report, print, exitZero, progress
  // The cache's own
  case exact, dryRun, repair, sort, print0
  // General
  case quiet, verbose, color, config, help, version
}

extension FlagID {
  /// The option's row of the table. `FlagID` and the table have the same order, so this is one array access in one of
  /// the groups.
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
