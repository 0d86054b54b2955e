#pragma once
#include <openssl/cms.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// A macro of computed value, which Swift does not import.
static const unsigned long long paycast_ssl_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
