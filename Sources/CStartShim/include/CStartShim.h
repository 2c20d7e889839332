#pragma once

// What the program does in the place of Swift's runtime before `main`. Nothing needs to be called: it is linked in, and the runtime's own
// is not.
//
// The runtime gets the program's arguments by looking for the stack in /proc/self/maps, line by line with sscanf, and for the
// arguments at the stack's end: 107,000 of the 620,000 instructions that `--version` takes. The C library hands them over for nothing.
