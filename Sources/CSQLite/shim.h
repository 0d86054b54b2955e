#pragma once
#include <sqlite3.h>

// sqlite3_config is variadic, which Swift cannot call.
static inline int paycast_sqlite_count_memory(int counts) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, counts);
}
