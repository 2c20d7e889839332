#include "trouble.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool imgfetch_fail(imgfetch_trouble *trouble, int kind, const char *reason) {
  if (trouble->kind == IMGFETCH_FINE) {
    trouble->kind = kind;
    snprintf(trouble->reason, sizeof trouble->reason, "%s", reason);
    // Some libraries end their messages with a line break.
    size_t length = strlen(trouble->reason);
    while (length > 0 && isspace((unsigned char)trouble->reason[length - 1])) trouble->reason[--length] = 0;
  }
  return false;
}
