import ImgfetchDataSet

extension RecordNote {
  mutating func append(_ consent: Consent) {
    append("consent")
    ObjectWriter.append(to: &fields) { object in
      object.text("verdict", consent.verdict.rawValue)
      // Loaders take a column's type from the first rows (five, in Hugging Face's), and fail at a text behind nulls.
      object.text("source", consent.source?.rawValue ?? "")
      object.text("text", consent.text ?? "")
    }
  }
}
