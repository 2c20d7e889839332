#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "CTestSupport.h"

size_t test_usable_size(void *block) { return malloc_usable_size(block); }

size_t test_bytes_in_use(void) { return mallinfo2().uordblks; }

bool test_has_own_malloc(void) {
  Dl_info of_malloc, of_library;
  void *malloc = dlsym(RTLD_DEFAULT, "malloc"), *printf = dlsym(RTLD_DEFAULT, "printf");
  if (!malloc || !printf || !dladdr(malloc, &of_malloc) || !dladdr(printf, &of_library)) return false;
  return of_malloc.dli_fbase != of_library.dli_fbase;
}
