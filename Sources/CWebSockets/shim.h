#pragma once
#include <libwebsockets.h>

// Macros of computed value, which Swift does not import.
static const unsigned long long paycast_lws_options =
    LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME |
    LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_JUST_USE_RAW_ORIGIN;
static const unsigned long long paycast_lws_no_system_authorities = LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
static const int paycast_lws_pre = LWS_PRE;
static const int paycast_lws_levels = LLL_ERR | LLL_WARN | LLL_NOTICE | LLL_INFO;
