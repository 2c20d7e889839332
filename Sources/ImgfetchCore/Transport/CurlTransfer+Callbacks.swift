import CCurlShim
import Glibc

// The callbacks that libcurl makes, on the loop's thread, during calls that the loop makes.
//
// Proof for all of them: `data` is the pointer that `configure` set. It refers to a CurlTransfer, which the loop keeps until after its
// handle is cleaned up, so it is alive whenever libcurl can call; or to the loop itself, which cleans up the multi handle, and so closes
// the last connection, before it goes. The bytes belong to libcurl and are read during the call only.
extension CurlTransfer {
  static let callbacks = unsafe imgfetch_callbacks(
    header: didReceiveLine, write: didReceiveBytes, open_socket: openSocket, prerequest: willRequest,
    progress: didProgress, close_socket: closeSocket)

  private static let didReceiveLine:
    @convention(c) (UnsafeMutablePointer<CChar>, Int, Int, UnsafeMutableRawPointer) -> Int = { bytes, _, count, data in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data)
      return unsafe transfer._withUnsafeGuaranteedRef { transfer in
        let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
        let line = unsafe UnsafeBufferPointer(start: start, count: count)
        return transfer.take(line: unsafe line.span) ? count : 0
      }
    }

  private static let didReceiveBytes:
    @convention(c) (UnsafeMutablePointer<CChar>, Int, Int, UnsafeMutableRawPointer) -> Int = { bytes, _, count, data in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data)
      return unsafe transfer._withUnsafeGuaranteedRef { transfer in
        let start = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self)
        switch unsafe transfer.take(chunk: UnsafeBufferPointer(start: start, count: count)) {
        case .taken: return count
        case .pause: return Int(CURL_WRITEFUNC_PAUSE)
        // Any count but the one received makes libcurl abort; for an empty chunk that is 1.
        case .abort: return count == 0 ? 1 : 0
        }
      }
    }

  private static let openSocket:
    @convention(c) (UnsafeMutableRawPointer, curlsocktype, UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t = {
      data, _, address in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
      if let refusal = unsafe transfer.objection(to: address) {
        transfer.state.refusal = refusal
        return -1
      }
      let wanted = unsafe address.pointee
      do throws(SystemError) {
        let socket = try Descriptor.socket(family: wanted.family, type: wanted.socktype, protocol: wanted.protocol)
        return socket.release()  // libcurl closes it.
      } catch {
        transfer.state.socketError = error.code
        return -1
      }
    }

  private static let willRequest:
    @convention(c) (
      UnsafeMutableRawPointer, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<CChar>, Int32, Int32
    ) -> Int32 = { data, remote, _, _, _ in
      let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
      let address = unsafe transfer.loop.address(spelt: remote)
      return transfer.connected(to: address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

  private static let didProgress: @convention(c) (UnsafeMutableRawPointer, Int, Int, Int, Int) -> Int32 = {
    data, _, received, _, sent in
    let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
    transfer.noteSent(Int64(sent))
    return transfer.noteRequest() && transfer.noteProgress(Int64(received)) ? 0 : 1
  }

  private static let closeSocket: @convention(c) (UnsafeMutableRawPointer, curl_socket_t) -> Int32 = { data, socket in
    let loop = unsafe Unmanaged<LoopCore>.fromOpaque(data).takeUnretainedValue()
    loop.shared.forget(socket)
    return close(socket)
  }

  /// Proof: behind `addr` libcurl provides as many bytes as the address family has.
  private func objection(to address: UnsafeMutablePointer<curl_sockaddr>) -> String? {
    if case .any = state.request.addressRule { return nil }
    let start = unsafe UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
    let bytes: [UInt8]
    switch unsafe address.pointee.family {
    case AF_INET:
      bytes = unsafe withUnsafeBytes(of: start.loadUnaligned(as: sockaddr_in.self).sin_addr) { unsafe Array($0) }
    case AF_INET6:
      bytes = unsafe withUnsafeBytes(of: start.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { unsafe Array($0) }
    default: bytes = []
    }
    guard let parsed = IPAddress(bytes: bytes) else { return "its address could not be determined" }
    return state.request.addressRule.objection(to: parsed)
  }
}
