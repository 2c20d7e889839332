// SHA-256 and HMAC out of OpenSSL's libcrypto, loaded when the first of them is needed: most runs need neither, and
// loading it takes longer than an answer from the cache. Every call goes through a table that `imgfetch_crypto_load`
// fills; what is done with the digests is decided in Swift.
#ifndef IMGFETCH_CRYPTO_SHIM_H
#define IMGFETCH_CRYPTO_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

#define IMGFETCH_SHA256_LENGTH 32

/// Loads libcrypto, once for the process; any thread may call. NULL: it is there. Else what is wrong, in the loader's
/// words (a constant, or memory that is never freed).
const char *_Nullable imgfetch_crypto_load(void);

// All of these may be called only after the loading succeeded.

/// A running SHA-256. Made by `imgfetch_sha256_begin`, freed by `imgfetch_sha256_free`. NULL if memory is short.
typedef struct imgfetch_sha256 imgfetch_sha256;
imgfetch_sha256 *_Nullable imgfetch_sha256_begin(void);
bool imgfetch_sha256_feed(imgfetch_sha256 *state, const void *_Nullable bytes, size_t length);
/// Writes the digest; nothing may be fed afterwards.
bool imgfetch_sha256_end(imgfetch_sha256 *state, uint8_t digest[_Nonnull IMGFETCH_SHA256_LENGTH]);
void imgfetch_sha256_free(imgfetch_sha256 *state);

/// HMAC-SHA256 of `length` bytes under a key.
bool imgfetch_hmac_sha256(const void *key, size_t key_length, const void *_Nullable bytes, size_t length,
                          uint8_t digest[_Nonnull IMGFETCH_SHA256_LENGTH]);

#pragma clang assume_nonnull end

#endif
