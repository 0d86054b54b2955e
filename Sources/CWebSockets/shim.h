#pragma once
#include <libwebsockets.h>
#include <uv.h>
#include <openssl/ssl.h>

// A GNU extension that Swift's Glibc module hides because it is built without _GNU_SOURCE.
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// Macros of computed value, which Swift does not import.
static const unsigned long long paycast_lws_options =
    LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN;

static const unsigned long long paycast_ssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
