internal import CWebSockets

/// From lws' callback to a named method of the loop. Nothing throws through C.
enum Trampoline {
    static func called(
        _ wsi: OpaquePointer?,
        _ reason: lws_callback_reasons,
        _ user: UnsafeMutableRawPointer?,
        _ bytes: UnsafeRawBufferPointer
    ) -> Int32 {
        guard let wsi, let context = lws_get_context(wsi), let owner = lws_context_user(context) else { return 0 }
        let loop = Unmanaged<SocketLoop>.fromOpaque(owner).takeUnretainedValue()
        let socket = Socket(wsi: wsi)
        switch reason {
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
            // Any other answer would close the wake pipe for good.
            loop.woken()
            return 0
        case LWS_CALLBACK_HTTP: return loop.receivedHead(socket).code
        case LWS_CALLBACK_HTTP_BODY: return loop.receivedBody(socket, bytes).code
        case LWS_CALLBACK_HTTP_BODY_COMPLETION: return loop.completedBody(socket).code
        case LWS_CALLBACK_HTTP_WRITEABLE: return loop.writable(socket).code
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return loop.confirmUpgrade(socket, to: bytes).code
        case LWS_CALLBACK_ESTABLISHED: return loop.established(socket).code
        case LWS_CALLBACK_RECEIVE: return loop.received(socket, bytes).code
        case LWS_CALLBACK_RECEIVE_PONG:
            loop.answered(socket)
            return 0
        case LWS_CALLBACK_SERVER_WRITEABLE: return loop.writable(socket).code
        case LWS_CALLBACK_RAW_RX_FILE:
            loop.accept()
            return 0
        case LWS_CALLBACK_RAW_WRITEABLE: return loop.writable(socket).code
        case LWS_CALLBACK_RAW_RX: return loop.receivedMalformed(socket, bytes).code
        case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
            if let user { loop.security?.configure(OpaquePointer(user)) }
            return 0
        case LWS_CALLBACK_WSI_DESTROY:
            loop.destroyed(socket)
            return 0
        default: return 0
        }
    }
}

/// What a callback tells lws.
enum Verdict {
    case keep, close

    var code: Int32 { self == .keep ? 0 : -1 }
}
