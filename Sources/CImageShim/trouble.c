#include "trouble.h"

#include <stdio.h>

bool imgfetch_fail(imgfetch_trouble *trouble, int kind, const char *reason) {
  if (trouble->kind == IMGFETCH_FINE) {
    trouble->kind = kind;
    snprintf(trouble->reason, sizeof trouble->reason, "%s", reason);
  }
  return false;
}
