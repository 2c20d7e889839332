import ImgfetchDataSet

extension RecordNote {
  mutating func append(_ consent: Consent) {
    append("consent")
    fields.append(text: "{\"verdict\":\"\(consent.verdict.rawValue)\",\"source\":")
    if let source = consent.source { fields.append(json: source.rawValue) } else { fields.append(text: "null") }
    fields.append(text: ",\"text\":")
    if let text = consent.text { fields.append(json: text) } else { fields.append(text: "null") }
    fields.append(UInt8(ascii: "}"))
  }
}
