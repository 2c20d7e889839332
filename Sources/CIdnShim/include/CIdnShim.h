// libidn2, loaded when a host's name is not ASCII: few are, and the library with its dependencies has two megabytes.
#ifndef IMGFETCH_IDN_SHIM_H
#define IMGFETCH_IDN_SHIM_H

#include <stdbool.h>

/// The outcome for a name.
enum {
  IMGFETCH_IDN_FOUND,
  /// The name may not be registered or looked up.
  IMGFETCH_IDN_INVALID,
  /// The library is not installed.
  IMGFETCH_IDN_MISSING,
};

/// Names the library that is loaded where the system has no libidn2, and that has its functions. To be called before
/// the first name is converted.
void imgfetch_idn_else(const char *_Nonnull path);

/// The punycode form of a UTF-8 name in lower case, by UTS #46 without transitional mapping, or with it. Any thread may
/// call. Where the answer is IMGFETCH_IDN_FOUND, `ascii` is to be given to `imgfetch_idn_free`.
int imgfetch_idn_ascii(const char *_Nonnull name, bool is_transitional, char *_Nullable *_Nonnull ascii);
void imgfetch_idn_free(char *_Nonnull ascii);

#endif
