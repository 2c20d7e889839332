"""`python -m imgfetch`: the program itself."""
import os
import sys

from ._binary import find_imgfetch_bin

if __name__ == "__main__":
    path = find_imgfetch_bin()
    os.execv(path, [path, *sys.argv[1:]])
