import ImgfetchCore
import ImgfetchDataSet

/// Makes the line again that a row of a shard tells of.
enum ShardRowLine {
  /// The mask of user and password.
  private static let mask = "***@"

  static func line(_ row: ArraySlice<UInt8>, text: String, of table: ListTable) throws(InputLine.Flaw) -> InputLine {
    guard let members = JSONMembers.read(row) else { throw InputLine.Flaw(reason: "the row is no JSON object") }
    var note = RecordNote()
    note.record = RetryPlan.record(ofRow: row)
    var typed = ""
    var isInvalid = false
    var (sha256, md5): ([UInt8]?, [UInt8]?)
    var mirrors: [WebURL] = []
    var referer: String?
    for member in members {
      switch member.name {
      case "url": typed = JSONMembers.text(of: member.value) ?? ""
      case "id", "name", "columns", "caption", "expected_sha256", "expected_md5", "mirrors", "referer":
        // As in this row, so that the next one has them, too.
        note.append(member.name)
        note.fields.append(contentsOf: member.value)
      case "text": isInvalid = true
      default: break
      }
      switch member.name {
      case "caption": note.caption = RecordNote.caption(of: member.value)
      case "expected_sha256": sha256 = JSONMembers.text(of: member.value).flatMap { InputLine.digest($0) }
      case "expected_md5": md5 = JSONMembers.text(of: member.value).flatMap { InputLine.digest($0, length: 16) }
      case "referer": referer = JSONMembers.text(of: member.value)
      case "mirrors":
        let texts = JSONMembers.text(of: member.value)?.split(separator: "\t") ?? []
        mirrors = texts.compactMap { String($0).holds(mask) ? nil : try? table.urls.url(String($0)) }
      default: break
      }
    }
    let lead = typed.isEmpty ? "" : "\(InvalidLine.shown(typed)): "
    // Not all that it asks for could be read, such as the sum of its bytes, so its URL alone is not asked.
    if isInvalid {
      throw InputLine.Flaw(
        reason: "\(lead)the line of the list makes no sense", url: typed, note: note)
    }
    if typed.holds(mask) {
      throw InputLine.Flaw(
        reason: "\(lead)shards keep no passwords of URLs, without which it cannot be had; "
          + "in a list without them --netrc gives the passwords, to --again as well", url: typed,
        note: note)
    }
    do {
      var line = InputLine(try table.urls.url(typed), text: text, note: note, of: table)
      (line.sha256, line.md5) = (sha256, md5)
      line.mirrors = mirrors
      line.referer = referer
      return line
    } catch {
      throw InputLine.Flaw(
        reason: "\(lead)\(error)", url: typed, note: note, remedy: error.remedy)
    }
  }
}
