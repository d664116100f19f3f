// The documents whose shell blocks are run, as paths relative to the checkout.
import { readdirSync } from "node:fs";

export const documents = ["README.md", ...readdirSync("docs/tutorials").sort().map((file) => `docs/tutorials/${file}`)];
