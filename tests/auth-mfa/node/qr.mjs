// Reads the QR code that the SVG drawing in the JSON file argv[2] ({"svg"}) shows, and prints its text.
import { readFileSync } from "node:fs";
import jsQR from "jsqr";

const { svg } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)[1]);
const [, path] = /fill="#000" d="([^"]+)"/.exec(svg);

const PIXELS = 4; // of a module
const width = size * PIXELS;
const image = new Uint8ClampedArray(width * width * 4).fill(255);
for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
  for (let row = y * PIXELS; row < (Number(y) + 1) * PIXELS; ++row)
    for (let column = x * PIXELS; column < (Number(x) + Number(length)) * PIXELS; ++column)
      image.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
process.stdout.write(jsQR(image, width, width)?.data ?? "no QR code");
