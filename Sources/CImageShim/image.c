#include "CImageShim.h"

#include <string.h>

size_t imgfetch_find_mark(const uint8_t *bytes, size_t length) {
  size_t at = 0;
  while (at < length) {
    const uint8_t *found = memchr(bytes + at, 0xFF, length - at);
    if (!found) return length;
    at = (size_t)(found - bytes);
    if (at + 1 == length || bytes[at + 1] != 0) return at;
    at += 2;
  }
  return length;
}
