/// A bar of so many cells, filled to a fraction.
struct Bar: Sendable {
  let isUnicode: Bool
  let style: Style

  func text(_ fraction: Double?, width: Int, tone: Style.Tone) -> String {
    guard width > 0 else { return "" }
    guard let fraction, fraction.isFinite else {
      // No end is known, so none is pretended.
      return style.text(String(repeating: isUnicode ? "╌" : ".", count: width), .faint)
    }
    // Half a cell can be shown where there are characters for it.
    let halves = Int((min(max(fraction, 0), 1) * Double(2 * width)).rounded(.down))
    let full = halves / 2
    let half = isUnicode && halves % 2 == 1 ? 1 : 0
    let done = String(repeating: isUnicode ? "━" : "#", count: full) + (half == 1 ? "╸" : "")
    let open = String(repeating: isUnicode ? "─" : "-", count: width - full - half)
    return style.text(done, tone) + style.text(open, .faint)
  }
}
