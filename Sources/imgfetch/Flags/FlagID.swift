/// The name by which code speaks of an option. The cases stand in the order of the table.
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
