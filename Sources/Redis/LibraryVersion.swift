internal import CHiredis

/// The version of hiredis that this was built with; the library does not tell.
public let hiredisVersion = "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"
