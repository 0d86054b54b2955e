internal import CNghttp2

/// The version of nghttp2 that is loaded.
public let nghttp2Version = String(cString: nghttp2_version(0).pointee.version_str)
