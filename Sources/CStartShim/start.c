#include "CStartShim.h"

static int count;
static char **arguments;

__attribute__((constructor)) static void imgfetch_take_arguments(int given, char **list) {
  count = given;
  arguments = list;
}

// The two that the runtime's CommandLine.cpp defines. Should it come to define more that is called, linking fails for
// these being there twice; should it define them otherwise, the first test that gives an argument fails.
char **_swift_stdlib_getUnsafeArgvArgc(int *length) {
  *length = count;
  return arguments;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **list, int given) {
  count = given;
  arguments = list;
}
