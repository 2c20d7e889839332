// libcurl, loaded when the first download needs it: loading it and its thirty libraries takes longer than an answer
// from the cache. Every call goes through a table that `imgfetch_curl_load` fills. Functions that Swift cannot call
// (libcurl's variadic ones) are here once per class of argument; all decisions are in Swift, in ImgfetchCore/Transport.
#ifndef IMGFETCH_CURL_SHIM_H
#define IMGFETCH_CURL_SHIM_H

#if !__has_include(<curl/curl.h>)
#error "<curl/curl.h> is missing; on Debian and Ubuntu: apt-get install libcurl4-openssl-dev"
#endif
// Newer versions deprecate options that older ones have no replacement for (CURLOPT_PROTOCOLS). Since 8 clang warns of
// them, and warnings are errors.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The header wraps these in macros that check types for C callers and that Swift cannot see through.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

#pragma clang assume_nonnull begin

/// Loads libcurl and initialises it: from the file at `path`, or the system's where that is NULL. One thread at a time
/// may call, and none after a call that returned NULL, which means that libcurl is there. Else returns the error in
/// the loader's words (a constant, or memory that is never freed).
const char *_Nullable imgfetch_curl_load(const char *_Nullable path);
/// The version of libcurl as 0xXXYYZZ, and in words.
unsigned imgfetch_curl_version_number(void);
const char *imgfetch_curl_version(void);

// One function per class of argument: an int where libcurl reads a long is silent corruption.
CURLcode imgfetch_easy_set_long(CURL *easy, CURLoption option, long value);
/// libcurl copies the text.
CURLcode imgfetch_easy_set_text(CURL *easy, CURLoption option, const char *_Nullable value);
/// libcurl keeps the pointer: it must stay valid until the option is set anew or the handle is reset.
CURLcode imgfetch_easy_set_pointer(CURL *easy, CURLoption option, void *_Nullable value);

/// The functions that a transfer calls back, and the pointer that each of them is given.
struct imgfetch_callbacks {
  size_t (*header)(char *line, size_t one, size_t count, void *data);
  size_t (*write)(char *bytes, size_t one, size_t count, void *data);
  curl_socket_t (*open_socket)(void *data, curlsocktype purpose, struct curl_sockaddr *address);
  /// NULL for a libcurl before 7.80.
  int (*_Nullable prerequest)(void *data, char *remote_address, char *local_address, int remote_port, int local_port);
  /// Called only where CURLOPT_NOPROGRESS is off.
  int (*progress)(void *data, curl_off_t to_receive, curl_off_t received, curl_off_t to_send, curl_off_t sent);
  /// Called with the other pointer: a connection outlives the transfer that opened it.
  int (*close_socket)(void *connection_data, curl_socket_t socket);
};
/// Sets each function together with its data, so that they cannot disagree.
CURLcode imgfetch_easy_set_callbacks(CURL *easy, const struct imgfetch_callbacks *callbacks, void *data,
                                     void *connection_data);

/// Has the TLS connections of the handle give back their buffers (34 KB) while nothing goes over them. Without effect
/// if libcurl uses another library than OpenSSL.
void imgfetch_easy_release_buffers(CURL *easy);

/// The part of a file that a transfer sends, and how far in it it has come.
struct imgfetch_source {
  int file;
  int64_t start;
  int64_t length;
  int64_t place;
};
/// Makes the transfer a PUT of that part. libcurl keeps the pointer: it must stay valid, and the file open,
/// until the handle is reset.
CURLcode imgfetch_easy_set_source(CURL *easy, struct imgfetch_source *source);

CURL *_Nullable imgfetch_easy_init(void);
void imgfetch_easy_reset(CURL *easy);
void imgfetch_easy_cleanup(CURL *easy);
CURLcode imgfetch_easy_pause(CURL *easy, int mask);
CURLcode imgfetch_easy_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode imgfetch_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
/// The text is libcurl's: it may be gone after the next call with this handle. NULL: it has none.
const char *_Nullable imgfetch_easy_get_text(CURL *easy, CURLINFO info);
/// The socket that an ended transfer used, if it is still open; only while the handle is in its multi.
CURLcode imgfetch_easy_get_socket(CURL *easy, curl_socket_t *value);

/// A URL in its parts (CURLOPT_CURLU).
CURLU *_Nullable imgfetch_url(void);
/// False: libcurl does not take it for a URL, or has no memory for it.
bool imgfetch_url_set(CURLU *url, const char *text);
void imgfetch_url_cleanup(CURLU *url);

struct curl_slist *_Nullable imgfetch_slist_append(struct curl_slist *_Nullable list, const char *text);
void imgfetch_slist_free(struct curl_slist *_Nullable list);

CURLM *_Nullable imgfetch_multi_init(void);
CURLMcode imgfetch_multi_cleanup(CURLM *multi);
CURLMcode imgfetch_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode imgfetch_multi_add(CURLM *multi, CURL *easy);
CURLMcode imgfetch_multi_remove(CURLM *multi, CURL *easy);
CURLMcode imgfetch_multi_perform(CURLM *multi);
CURLMcode imgfetch_multi_poll(CURLM *multi, int milliseconds);
CURLMcode imgfetch_multi_wakeup(CURLM *multi);
/// Takes the next ended transfer: the number in its private slot and how it ended. False: there is none.
bool imgfetch_multi_next_ended(CURLM *multi, intptr_t *number, CURLcode *code);

/// A place for TLS sessions that the handles given to it share (CURLOPT_SHARE). One thread only: it has no locks.
CURLSH *_Nullable imgfetch_share_sessions(void);
void imgfetch_share_cleanup(CURLSH *share);

#pragma clang assume_nonnull end

#endif
