#define _GNU_SOURCE
#include "CSandboxShim.h"

#include <errno.h>
#include <unistd.h>

int imgfetch_trial_call(int64_t number, const int64_t arguments[6], int64_t *value) {
  *value = syscall(
      (long)number, (long)arguments[0], (long)arguments[1], (long)arguments[2], (long)arguments[3], (long)arguments[4],
      (long)arguments[5]);
  return *value == -1 ? errno : 0;
}
