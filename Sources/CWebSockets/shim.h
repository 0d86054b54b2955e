#pragma once
#include <libwebsockets.h>
#include <openssl/ssl.h>

// Macros of computed value, which Swift does not import.
enum {
    paycast_lws_headroom = LWS_PRE,
};

static const unsigned long long paycast_lws_options =
    LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN |
    LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG;

static const unsigned long long paycast_lws_tls_options =
    LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;

static const unsigned long long paycast_ssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
