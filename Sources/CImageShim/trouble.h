// How the files of this folder say what went wrong.
#ifndef IMGFETCH_TROUBLE_H
#define IMGFETCH_TROUBLE_H

#include "codecs.h"

/// Notes what went wrong, unless something did before. Always false.
bool imgfetch_fail(imgfetch_trouble *trouble, int kind, const char *reason);

#endif
