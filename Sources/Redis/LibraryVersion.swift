internal import CHiredis

/// The version of the hiredis headers at build time; the library itself does not report one.
public let hiredisVersion = "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"
