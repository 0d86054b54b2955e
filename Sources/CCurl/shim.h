#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one function for each kind of argument.
static inline CURLcode paycast_curl_set_number(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode paycast_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode paycast_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode paycast_curl_set_callback(CURL *handle, CURLoption option, curl_write_callback value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode paycast_curl_set_ticker(CURL *handle, curl_xferinfo_callback value, const void *context) {
    (curl_easy_setopt)(handle, CURLOPT_XFERINFODATA, context);
    (curl_easy_setopt)(handle, CURLOPT_NOPROGRESS, 0L);
    return (curl_easy_setopt)(handle, CURLOPT_XFERINFOFUNCTION, value);
}

// OpenSSL's verdict on the certificate of the last connection.
static inline long paycast_curl_verification(CURL *handle) {
    long verdict = 0;
    (curl_easy_getinfo)(handle, CURLINFO_SSL_VERIFYRESULT, &verdict);
    return verdict;
}
