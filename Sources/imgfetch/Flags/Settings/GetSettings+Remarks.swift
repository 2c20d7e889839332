extension GetSettings {
  /// What is understood, and was hardly meant so: each one line, for a warning.
  var remarks: [String] {
    var remarks: [String] = []
    if let template = report.writeOut, !hasField(template) {
      // wget's -w is a pause.
      let isNumber = Values.numberAndUnit(template) != nil
      remarks.append(
        "the template '\(template)' of --write-out has no field in braces, so it prints the same for every image"
          + (isNumber ? "; for a pause between requests there is --rate" : ""))
    }
    if let url = selection.urls.first(where: Self.looksLikeSeveral) {
      remarks.append(
        "\(Secrets.masked(url: url)): braces and brackets stand for themselves in URLs; an unquoted {a,b} is expanded by most shells, "
          + "and -i reads a list")
    }
    return remarks
  }

  private func hasField(_ template: String) -> Bool {
    template.indices.contains { template[$0] == "{" && TemplateField(at: template[$0...]) != nil }
  }

  /// What curl would take for several URLs: `{a,b}`, `[1-10]`. Brackets alone are common in queries (`?id[]=1`).
  private static func looksLikeSeveral(_ url: String) -> Bool {
    func holds(_ open: Character, _ close: Character, _ isPattern: (Substring) -> Bool) -> Bool {
      guard let start = url.firstIndex(of: open), let end = url[start...].firstIndex(of: close) else { return false }
      return isPattern(url[url.index(after: start)..<end])
    }
    return holds("{", "}") { !$0.isEmpty } || holds("[", "]") { $0.contains("-") }
  }
}
