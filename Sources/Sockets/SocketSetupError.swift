/// Why there are no sockets to serve with.
public enum SocketSetupError: Error, Equatable, CustomStringConvertible {
    case cannotListen(address: String, port: Int)
    /// lws could not create a context.
    case noLoop
    /// The process may open no more files.
    case noDescriptors
    /// OpenSSL could not create a context.
    case noTLS

    public var description: String {
        switch self {
        case .cannotListen(let address, let port):
            "cannot listen on \(address):\(port): another program may use it; choose another with --port, "
                + "or --port 0 for any free one"
        case .noDescriptors: "too few files may be open to serve: raise the limit of open files (ulimit -n)"
        case .noTLS: "OpenSSL cannot start: is libssl3 installed completely?"
        case .noLoop: "libwebsockets cannot run on libuv: install the package libwebsockets-evlib-uv"
        }
    }
}
