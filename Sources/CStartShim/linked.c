#include "CStartShim.h"

#ifndef IMGFETCH_LINKED
#define IMGFETCH_LINKED ""
#endif

const char *imgfetch_linked(void) { return IMGFETCH_LINKED; }
