#include "CCurlShim.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The functions that are used, each by its name in the library. The types come from libcurl's own header.
#define FUNCTIONS(X)                                                                                                   \
  X(curl_global_init)                                                                                                  \
  X(curl_version_info)                                                                                                 \
  X(curl_easy_init)                                                                                                    \
  X(curl_easy_reset)                                                                                                   \
  X(curl_easy_cleanup)                                                                                                 \
  X(curl_easy_pause)                                                                                                   \
  X(curl_easy_setopt)                                                                                                  \
  X(curl_easy_getinfo)                                                                                                 \
  X(curl_url)                                                                                                          \
  X(curl_url_set)                                                                                                      \
  X(curl_url_cleanup)                                                                                                  \
  X(curl_slist_append)                                                                                                 \
  X(curl_slist_free_all)                                                                                               \
  X(curl_multi_init)                                                                                                   \
  X(curl_multi_cleanup)                                                                                                \
  X(curl_multi_setopt)                                                                                                 \
  X(curl_multi_add_handle)                                                                                             \
  X(curl_multi_remove_handle)                                                                                          \
  X(curl_multi_perform)                                                                                                \
  X(curl_multi_poll)                                                                                                   \
  X(curl_multi_wakeup)                                                                                                 \
  X(curl_multi_info_read)                                                                                              \
  X(curl_share_init)                                                                                                   \
  X(curl_share_setopt)                                                                                                 \
  X(curl_share_cleanup)

static struct {
#define MEMBER(name) __typeof__(name) *name;
  FUNCTIONS(MEMBER)
} api;

// A function of OpenSSL, which has no header here. NULL if libcurl was built with another library.
static long (*context_control)(void *context, int command, long value, void *pointer);
// Constants of <openssl/ssl.h>, which have not changed since 1.0.
enum { SET_MODE = 33, RELEASE_BUFFERS = 0x10 };

const char *imgfetch_curl_load(const char *path) {
  // Lazy: two thirds of the cost is relocating what a download never calls. Local: nothing else
  // may bind to its symbols.
  void *library = dlopen(path ? path : "libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    // Reported if there is no other: the missing library may be one that libcurl needs.
    const char *message = dlerror();
    message = message ? strdup(message) : NULL;
    // Debian has it twice. The one that uses GnuTLS may be the only one.
    if (!path) library = dlopen("libcurl-gnutls.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return message ? message : "libcurl.so.4 cannot be loaded";
    free((void *)message);
  }
#define FIND(name)                                                                                                     \
  api.name = (__typeof__(name) *)dlsym(library, #name);                                                                \
  if (!api.name) return "it is no libcurl, or too old: it has no " #name;
  FUNCTIONS(FIND)
  if (api.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "it cannot be initialised";
  // Another library of libcurl's may need OpenSSL, too. The context is OpenSSL's only if libcurl says so.
  const char *tls = api.curl_version_info(CURLVERSION_NOW)->ssl_version;
  context_control = NULL;
  if (tls && strncmp(tls, "OpenSSL/", 8) == 0)
    context_control = (__typeof__(context_control))dlsym(library, "SSL_CTX_ctrl");
  return NULL;
}

unsigned imgfetch_curl_version_number(void) { return api.curl_version_info(CURLVERSION_NOW)->version_num; }
const char *imgfetch_curl_version(void) { return api.curl_version_info(CURLVERSION_NOW)->version; }

CURLcode imgfetch_easy_set_long(CURL *easy, CURLoption option, long value) {
  return api.curl_easy_setopt(easy, option, value);
}

CURLcode imgfetch_easy_set_text(CURL *easy, CURLoption option, const char *value) {
  return api.curl_easy_setopt(easy, option, value);
}

CURLcode imgfetch_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return api.curl_easy_setopt(easy, option, value);
}

CURLcode imgfetch_easy_set_callbacks(CURL *easy, const struct imgfetch_callbacks *callbacks, void *data,
                                     void *connection_data) {
  CURLcode code = api.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks->header);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_HEADERDATA, data);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks->write);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_WRITEDATA, data);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callbacks->open_socket);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, data);
  // Before 7.80 there are no such options.
  if (code == CURLE_OK && callbacks->prerequest) {
    code = api.curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callbacks->prerequest);
    if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_PREREQDATA, data);
  }
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callbacks->progress);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_XFERINFODATA, data);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callbacks->close_socket);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, connection_data);
  return code;
}

// Called before each handshake, with OpenSSL's context of the connection.
static CURLcode release_buffers(CURL *easy, void *context, void *data) {
  (void)easy;
  (void)data;
  context_control(context, SET_MODE, RELEASE_BUFFERS, NULL);
  return CURLE_OK;
}

void imgfetch_easy_release_buffers(CURL *easy) {
  if (context_control) api.curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, release_buffers);
}

// The file is one that was read or written a moment ago, so that its pages are in memory and the network's thread
// does not wait for a disk.
static size_t send_bytes(char *buffer, size_t one, size_t count, void *data) {
  struct imgfetch_source *source = data;
  int64_t left = source->length - source->place;
  size_t wanted = left < (int64_t)(one * count) ? (size_t)left : one * count;
  if (wanted == 0) return 0;
  ssize_t got;
  do got = pread(source->file, buffer, wanted, source->start + source->place);
  while (got < 0 && errno == EINTR);
  // The file has become shorter: the announced bytes cannot be sent.
  if (got <= 0) return CURL_READFUNC_ABORT;
  source->place += got;
  return (size_t)got;
}

// A connection that was used before may turn out to be closed: libcurl then sends the body again over a new one.
static int seek_source(void *data, curl_off_t offset, int origin) {
  struct imgfetch_source *source = data;
  if (origin != SEEK_SET || offset < 0 || offset > source->length) return CURL_SEEKFUNC_FAIL;
  source->place = offset;
  return CURL_SEEKFUNC_OK;
}

CURLcode imgfetch_easy_set_source(CURL *easy, struct imgfetch_source *source) {
  CURLcode code = api.curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)source->length);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_READFUNCTION, send_bytes);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_READDATA, source);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_source);
  if (code == CURLE_OK) code = api.curl_easy_setopt(easy, CURLOPT_SEEKDATA, source);
  return code;
}

CURL *imgfetch_easy_init(void) { return api.curl_easy_init(); }
void imgfetch_easy_reset(CURL *easy) { api.curl_easy_reset(easy); }

CURLU *imgfetch_url(void) { return api.curl_url(); }
bool imgfetch_url_set(CURLU *url, const char *text) { return api.curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK; }
void imgfetch_url_cleanup(CURLU *url) { api.curl_url_cleanup(url); }
void imgfetch_easy_cleanup(CURL *easy) { api.curl_easy_cleanup(easy); }
CURLcode imgfetch_easy_pause(CURL *easy, int mask) { return api.curl_easy_pause(easy, mask); }

CURLcode imgfetch_easy_get_long(CURL *easy, CURLINFO info, long *value) {
  return api.curl_easy_getinfo(easy, info, value);
}

CURLcode imgfetch_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return api.curl_easy_getinfo(easy, info, value);
}

const char *imgfetch_easy_get_text(CURL *easy, CURLINFO info) {
  char *text = NULL;
  return api.curl_easy_getinfo(easy, info, &text) == CURLE_OK ? text : NULL;
}

CURLcode imgfetch_easy_get_socket(CURL *easy, curl_socket_t *value) {
  return api.curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

struct curl_slist *imgfetch_slist_append(struct curl_slist *list, const char *text) {
  return api.curl_slist_append(list, text);
}
void imgfetch_slist_free(struct curl_slist *list) { api.curl_slist_free_all(list); }

CURLM *imgfetch_multi_init(void) { return api.curl_multi_init(); }
CURLMcode imgfetch_multi_cleanup(CURLM *multi) { return api.curl_multi_cleanup(multi); }
CURLMcode imgfetch_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return api.curl_multi_setopt(multi, option, value);
}
CURLMcode imgfetch_multi_add(CURLM *multi, CURL *easy) { return api.curl_multi_add_handle(multi, easy); }
CURLMcode imgfetch_multi_remove(CURLM *multi, CURL *easy) { return api.curl_multi_remove_handle(multi, easy); }

CURLMcode imgfetch_multi_perform(CURLM *multi) {
  int running;
  return api.curl_multi_perform(multi, &running);
}

CURLMcode imgfetch_multi_poll(CURLM *multi, int milliseconds) {
  return api.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}

CURLMcode imgfetch_multi_wakeup(CURLM *multi) { return api.curl_multi_wakeup(multi); }

bool imgfetch_multi_next_ended(CURLM *multi, intptr_t *number, CURLcode *code) {
  int left;
  CURLMsg *message;
  while ((message = api.curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    // Copied out here: the message is gone as soon as its handle is removed.
    char *slot = NULL;
    *code = message->data.result;
    api.curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
    *number = (intptr_t)slot;
    return true;
  }
  return false;
}

CURLSH *imgfetch_share_sessions(void) {
  CURLSH *share = api.curl_share_init();
  if (share && api.curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK) {
    api.curl_share_cleanup(share);
    share = NULL;
  }
  return share;
}
void imgfetch_share_cleanup(CURLSH *share) { api.curl_share_cleanup(share); }
