/// The places of rows, in four bytes each: rows of one input lie one behind another, so each is told by its distance
/// from an earlier one. A pure value.
struct PlaceColumn: Sendable {
  private var bases = StretchColumn<UInt64>()
  private var distances = Column<UInt32>()

  mutating func append(_ place: UInt64) {
    var base = bases.last ?? place
    if place < base || place - base > UInt64(UInt32.max) { base = place }
    bases.append(base)
    distances.append(UInt32(place - base))
  }

  subscript(row: Int) -> UInt64 { bases[row] + UInt64(distances[row]) }
}
