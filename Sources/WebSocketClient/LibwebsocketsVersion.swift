internal import CWebSockets

/// The version of libwebsockets that is loaded, for `paycast version`.
public let libwebsocketsVersion = String(cString: lws_get_library_version()).prefix { $0 != "-" }.description
