#pragma once

// The program's `malloc` and its family, for all that is in its process: the Swift runtime, libcurl, the C library. Nothing needs to be
// called. They stand before the C library's own, of which every block comes, and to which it may go back at any time.
//
// Why: an image passes through three threads, and most of what one of them asks for another one lets go of. The C library keeps
// seven blocks of a size for a thread; all others are taken and given back under one lock, for which the threads went to the
// kernel up to three times an image. Here they change hands in batches. Measured with 2,000 pictures of 10 KB on two cores: a
// tenth of all processor time, and 1,500 calls of `futex` instead of 3,500 to 7,000.
//
// A thread keeps 3 MB at most, and 14 MB lie between them: only if so much of each size was in use at once. A block that is freed twice,
// or written to after it was freed, ends the process, as with the C library.
//
// Not under the address and thread sanitizers, which have a `malloc` of their own.

// From now on the C library alone serves this process, with all its own safeguards: for one with a single thread that reads what
// strangers sent. To be called before there is a second thread.
void imgfetch_heap_stand_aside(void);
