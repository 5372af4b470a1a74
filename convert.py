"""`python convert.py --model … --out …` is `clef-mlx convert …`."""

import sys

from clef_mlx.cli import main

if __name__ == "__main__":
    sys.exit(main(["convert", *sys.argv[1:]]))
