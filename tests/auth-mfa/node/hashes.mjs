// Prints a JSON array with one value for each input: the hash of `password`, or whether the PHC string `verify` is its
// hash. argv[2] names a JSON file with an array of inputs: {algorithm, password} or {verify, password}.
import { readFileSync } from "node:fs";
import argon2 from "argon2";
import bcrypt from "bcrypt";

const algorithms = {
  argon2id: (password) => argon2.hash(password), // the package's own parameters
  "argon2id of the highest cost": (password) => argon2.hash(password, { memoryCost: 65536, timeCost: 10, parallelism: 4 }),
  bcrypt: (password) => bcrypt.hash(password, 10),
  "bcrypt of PHP": async (password) => (await bcrypt.hash(password, 4)).replace("$2b$", "$2y$"), // the same algorithm
};

const output = [];
for (const { algorithm, verify, password } of JSON.parse(readFileSync(process.argv[2], "utf8")))
  output.push(await (verify === undefined ? algorithms[algorithm](password) : argon2.verify(verify, password)));
console.log(JSON.stringify(output));
