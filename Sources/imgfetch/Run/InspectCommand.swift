import ImgfetchCore

/// `inspect`: prints the format and size of image files, and whether they are complete.
enum InspectCommand {
  static func run(_ settings: Settings) -> Int32 {
    let printer = Printer(.standardOutput, flushing: .whenFull)
    let messages = Messages(isQuiet: settings.messages.quiet)
    let limits = PixelLimits(
      maxPixels: settings.fetch.maximumPixels,
      executor: PixelExecutors.make(
        settings.fetch.verification == .decode || !settings.fetch.details.isEmpty, isSandboxed: settings.isSandboxed,
        messages))
    var code = ExitCode()
    if let rule = settings.rows.same { return SameImages.run(rule, settings, limits, messages, printer) }
    if let rule = settings.rows.duplicates {
      return InspectedDuplicates.run(rule, settings, limits, messages, printer)
    }
    // A name that comes from a stream is answered when it comes.
    let isStream = settings.list.inputs.contains("-")
    InspectedFiles.forEach(settings) { found in
      var inspected = InspectedFile(name: found.name)
      do throws(FetchError) {
        if let error = found.error { throw error }
        try inspected.inspect(settings, limits)
      } catch {
        if !found.isNamed, error.kind == .notImage, !inspected.isNamedLikeImage { return true }
        let error = Advice.completing(error)
        inspected.error = error
        code.add(error)
        // With --quiet --json the object of the file contains the error.
        if !settings.messages.quiet || !settings.report.isJSON { messages.error(error.message) }
      }
      if settings.messages.quiet && !settings.report.isJSON { return true }
      printer.print { settings.report.isJSON ? inspected.appendJSON(to: &$0) : inspected.appendLine(to: &$0) }
      if isStream { printer.flush() }
      return printer.failure == nil
    }
    return printer.end(code, messages)
  }
}
