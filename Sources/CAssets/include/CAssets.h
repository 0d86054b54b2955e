#pragma once
#include <stddef.h>

/// A file of `public/`, by its path there, or of this folder.
struct paycast_asset {
    const char *path;
    /// UTF-8, ended by NUL.
    const unsigned char *text;
};

extern const struct paycast_asset *const paycast_assets;
extern const size_t paycast_asset_count;
