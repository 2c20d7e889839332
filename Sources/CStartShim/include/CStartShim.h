#pragma once

// The parts that only the released program needs, and not the library.
//
// It takes its arguments in the place of Swift's runtime, before `main`. Nothing needs to be called for that: it is
// linked in, and the runtime's own is not. The runtime gets the program's arguments by looking for the stack in
// /proc/self/maps, line by line with sscanf, and for the arguments at the stack's end: a sixth of the instructions of
// `--version`. The C library hands them over for nothing.

/// The packages whose archives are linked in, with their revisions: `libpng-dev 1.6.39-2+deb12u4, zlib1g-dev …`. Empty
/// if the build did not tell, as one without Scripts/build.
const char *_Nonnull imgfetch_linked(void);
