// Prints otplib's code for each input, one per line. argv[2] names a JSON file with an array of inputs: {otpauthUrl,
// at}.
import { readFileSync } from "node:fs";
import otplib from "otplib";

for (const { otpauthUrl, at } of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const { searchParams } = new URL(otpauthUrl);
  const app = otplib.authenticator.clone({
    epoch: at,
    algorithm: searchParams.get("algorithm").toLowerCase(),
    digits: Number(searchParams.get("digits")),
    step: Number(searchParams.get("period")),
  });
  console.log(app.generate(searchParams.get("secret")));
}
