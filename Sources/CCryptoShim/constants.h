// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
#ifndef IMGFETCH_SHA256_CONSTANTS_H
#define IMGFETCH_SHA256_CONSTANTS_H

#include <stdint.h>

extern const uint32_t imgfetch_sha256_constants[64];

#endif
