/// Numbers the transfers of all that send requests on one network thread, to which it belongs.
final class TransferNumbers {
  private var last: UInt64 = 0

  func next() -> TransferID {
    last += 1
    return TransferID(number: last)
  }
}
