#if !__has_include(<idn2.h>)
#error "<idn2.h> is missing; on Debian and Ubuntu: apt-get install libidn2-dev"
#endif
#include "CIdnShim.h"

#include <dlfcn.h>
#include <idn2.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct {
  pthread_once_t once;
  __typeof__(&idn2_lookup_u8) look_up;
  __typeof__(&idn2_free) release;
} library = {.once = PTHREAD_ONCE_INIT};

// Set before the first name, if at all.
static const char *other;

void imgfetch_idn_else(const char *path) { other = strdup(path); }

static void load(void) {
  void *handle = dlopen("libidn2.so.0", RTLD_LAZY | RTLD_LOCAL);
  if (!handle && other) handle = dlopen(other, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return;
  library.look_up = (__typeof__(&idn2_lookup_u8))dlsym(handle, "idn2_lookup_u8");
  library.release = (__typeof__(&idn2_free))dlsym(handle, "idn2_free");
}

int imgfetch_idn_ascii(const char *name, bool is_transitional, char **ascii) {
  pthread_once(&library.once, load);
  if (!library.look_up || !library.release) return IMGFETCH_IDN_MISSING;
  int flags = is_transitional ? IDN2_TRANSITIONAL : IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL;
  uint8_t *found = NULL;
  if (library.look_up((const uint8_t *)name, &found, flags) != IDN2_OK || !found) return IMGFETCH_IDN_INVALID;
  *ascii = (char *)found;
  return IMGFETCH_IDN_FOUND;
}

void imgfetch_idn_free(char *ascii) { library.release(ascii); }
