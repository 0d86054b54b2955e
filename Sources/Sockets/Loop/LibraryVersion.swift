internal import CWebSockets

/// The version of libwebsockets that is loaded.
public let libwebsocketsVersion = String(cString: lws_get_library_version()).prefix { $0 != "-" }.description
