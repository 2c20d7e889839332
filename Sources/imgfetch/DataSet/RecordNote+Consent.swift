import ImgfetchDataSet

extension RecordNote {
  mutating func append(_ consent: Consent) {
    append("consent")
    ObjectWriter.append(to: &fields) { object in
      object.text("verdict", consent.verdict.rawValue)
      object.text("source", consent.source?.rawValue)
      object.text("text", consent.text)
    }
  }
}
