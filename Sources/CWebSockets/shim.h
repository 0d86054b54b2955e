#pragma once
#include <libwebsockets.h>

// Macros of computed value, which Swift does not import.
enum {
    paycast_lws_headroom = LWS_PRE,
};

static const unsigned long long paycast_lws_options =
    LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN |
    LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG;
