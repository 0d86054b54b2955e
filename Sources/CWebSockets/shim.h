#pragma once
#include <libwebsockets.h>
#include <uv.h>
#include <openssl/ssl.h>

// Macros of computed value, which Swift does not import.
enum {
    paycast_lws_headroom = LWS_PRE,
};

// What lws itself writes a close frame with; its public enumeration leaves the 4 out
// (lib/roles/ws/private-lib-roles-ws.h, LWS_WRITE_CLOSE).
static const enum lws_write_protocol paycast_lws_write_close = (enum lws_write_protocol)4;

static const unsigned long long paycast_lws_options =
    LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN |
    LWS_SERVER_OPTION_FALLBACK_TO_APPLY_LISTEN_ACCEPT_CONFIG;

static const unsigned long long paycast_lws_tls_options =
    LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;

static const unsigned long long paycast_ssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
