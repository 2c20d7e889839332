#include "CCryptoShim.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>

// The functions that are used, each by its name in the library. The types come from OpenSSL's own headers.
#define FUNCTIONS(X)                                                                                                   \
  X(EVP_MD_CTX_new)                                                                                                    \
  X(EVP_MD_CTX_free)                                                                                                   \
  X(EVP_sha256)                                                                                                        \
  X(EVP_DigestInit_ex)                                                                                                 \
  X(EVP_DigestUpdate)                                                                                                  \
  X(EVP_DigestFinal_ex)                                                                                                \
  X(HMAC)

static struct {
#define MEMBER(name) __typeof__(name) *name;
  FUNCTIONS(MEMBER)
} api;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

static void load(void) {
  // The version that libcurl's TLS uses, which is loaded anyway before anything is downloaded over https.
  void *library = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char *message = dlerror();
    problem = message ? message : "libcrypto.so.3 cannot be loaded";
    return;
  }
#define FIND(name)                                                                                                     \
  api.name = (__typeof__(name) *)dlsym(library, #name);                                                                \
  if (!api.name) {                                                                                                     \
    problem = "libcrypto.so.3 has no " #name;                                                                          \
    return;                                                                                                            \
  }
  FUNCTIONS(FIND)
}

const char *imgfetch_crypto_load(void) {
  pthread_once(&once, load);
  return problem;
}

imgfetch_sha256 *imgfetch_sha256_begin(void) {
  EVP_MD_CTX *context = api.EVP_MD_CTX_new();
  if (context && api.EVP_DigestInit_ex(context, api.EVP_sha256(), NULL) != 1) {
    api.EVP_MD_CTX_free(context);
    context = NULL;
  }
  return (imgfetch_sha256 *)context;
}

bool imgfetch_sha256_feed(imgfetch_sha256 *state, const void *bytes, size_t length) {
  return api.EVP_DigestUpdate((EVP_MD_CTX *)state, bytes, length) == 1;
}

bool imgfetch_sha256_end(imgfetch_sha256 *state, uint8_t digest[IMGFETCH_SHA256_LENGTH]) {
  return api.EVP_DigestFinal_ex((EVP_MD_CTX *)state, digest, NULL) == 1;
}

void imgfetch_sha256_free(imgfetch_sha256 *state) { api.EVP_MD_CTX_free((EVP_MD_CTX *)state); }

bool imgfetch_hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length,
                          uint8_t digest[IMGFETCH_SHA256_LENGTH]) {
  return api.HMAC(api.EVP_sha256(), key, (int)key_length, bytes, length, digest, NULL) != NULL;
}
