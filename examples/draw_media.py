"""Draws the picture and the clip of receipt.json and belt.json: an invented till receipt, and parcels on a belt.

    python examples/draw_media.py [FOLDER]

Writes receipt.png and belt.gif into FOLDER, by default the one this file is in. Needs Pillow alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

LINES = (("2 Flat white", "7.60"), ("1 Almond croissant", "3.40"), ("1 Orange juice", "4.10"), ("1 Rye bread", "5.20"))
TOTAL, PAID = "20.30", "50.00"
FRAMES, STEP_MS = 12, 250
BELT, DROP_AT = 96, 8  # the belt's height in pixels, and the frame in which a parcel leaves it


def receipt() -> Image.Image:
    """A receipt of 480x640 whose lines add up to its total."""
    image = Image.new("L", (480, 640), 255)
    draw = ImageDraw.Draw(image)
    title, text = ImageFont.load_default(30), ImageFont.load_default(22)
    draw.text((240, 50), "CORNER CAFE", font=title, anchor="mm", fill=0)
    draw.text((240, 90), "12 Example Street", font=text, anchor="mm", fill=60)
    draw.text((240, 120), "2026-05-14   09:42   Till 2", font=text, anchor="mm", fill=60)
    height = 180
    for name, price in LINES:
        _row(draw, height, name, price, text)
        height += 42
    draw.line((40, height, 440, height), fill=0, width=2)
    for name, price in (("TOTAL EUR", TOTAL), ("Cash", PAID), ("Change", f"{float(PAID) - float(TOTAL):.2f}")):
        height += 44
        _row(draw, height, name, price, title if name.startswith("TOTAL") else text)
    draw.text((240, 590), "Thank you!", font=text, anchor="mm", fill=60)
    return image


def _row(draw: ImageDraw.ImageDraw, height: int, name: str, price: str, font: ImageFont.ImageFont) -> None:
    draw.text((40, height), name, font=font, anchor="lm", fill=0)
    draw.text((440, height), price, font=font, anchor="rm", fill=0)


def belt() -> list[Image.Image]:
    """Three seconds, 192x128: two parcels move right, and the first falls off the end of the belt."""
    return [_belt_frame(number) for number in range(FRAMES)]


def _belt_frame(number: int) -> Image.Image:
    image = Image.new("P", (192, 128), 0)
    image.putpalette([235, 238, 240, 70, 74, 80, 176, 128, 80, 120, 84, 48, 200, 40, 40])
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, BELT, 149, BELT + 8), fill=1)
    for wheel in range(10, 150, 28):
        draw.ellipse((wheel - 6, BELT + 9, wheel + 6, BELT + 21), fill=1)
    for first in (72, 8):
        _parcel(draw, first + number * 9, number)
    return image


def _parcel(draw: ImageDraw.ImageDraw, left: int, number: int) -> None:
    fallen = max(0, number - DROP_AT) * 11 if left > 130 else 0
    top = min(BELT - 26 + fallen, 101)
    draw.rectangle((left, top, left + 30, top + 25), fill=2, outline=3)
    draw.line((left + 15, top, left + 15, top + 25), fill=4, width=3)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    receipt().save(folder / "receipt.png", optimize=True)
    first, *rest = belt()
    first.save(folder / "belt.gif", save_all=True, append_images=rest, duration=STEP_MS, loop=0)
    for name in ("receipt.png", "belt.gif"):
        print(folder / name)


if __name__ == "__main__":
    main()
