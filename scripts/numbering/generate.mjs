// Writes libs/sms/numbering.cpp from the metadata of libphonenumber. See --help.
import { run, versionOf, wrap } from "./file.mjs";
import { plans, type } from "./plans.mjs";
import { countriesOf, ranges, sorted } from "./ranges.mjs";

const usage = `usage: node generate.mjs [--check] FILE

Writes FILE, which is libs/sms/numbering.cpp, from the npm package google-libphonenumber. package.json names its version; install it with
\`npm ci\` first. --check compares FILE with the package, changes nothing, and exits with 1 if they differ.
`;

const from = `google-libphonenumber ${versionOf("google-libphonenumber")}`;

/** The types of the numbers in `premium`. The reasons are in libs/sms/README.md. */
const PREMIUM = new Set([type.PREMIUM_RATE, type.SHARED_COST, type.PERSONAL_NUMBER]);

/** Premium ranges that libphonenumber does not contain, by calling code. */
const ADDED = {
  34: [{ prefix: "34905" }], // Spain: televoting and other mass calls
};

/** A C++ initialiser, such as {"1204", "CA"} or {"353159", 13, 13}. */
function entry({ prefix, shortest, longest }, country) {
  const texts = [prefix, ...(country === undefined ? [] : [country])].map((text) => `"${text}"`);
  return `{${[...texts, ...(shortest ? [shortest, longest] : [])].join(", ")}}`;
}

/** The definition of a span. Each list of entries follows a comment with its heading. */
function span(name, element, lists) {
  const lines = lists.flatMap(([heading, entries]) => [...(heading ? [`    // ${heading}`] : []), ...wrap(entries)]);
  return `constexpr auto ${name}_table = std::to_array<${element}>({
${lines.join("\n")}
});
static_assert(std::ranges::is_sorted(${name}_table, {}, &${element}::prefix));
constinit std::span<${element} const> const ${name} = ${name}_table;
`;
}

function premiumOf(plan) {
  if (!plan.country) return []; // is_premium refuses the networks without a country
  const kindOf = (number) => (PREMIUM.has(number.type) ? "premium" : "other");
  return sorted([...ranges(plan, { kindOf, others: "other", branches: 2 }), ...(ADDED[plan.code] ?? [])]);
}

function source() {
  const codes = [], shared = [], premium = [];
  for (const plan of plans()) {
    const heading = `+${plan.code} ${plan.country}`;
    codes.push(entry({ prefix: plan.code }, plan.country));
    shared.push([heading, countriesOf(plan).map((range) => entry(range, range.kind))]);
    premium.push([heading, premiumOf(plan).map((range) => entry(range))]);
  }
  const filled = (lists) => lists.filter(([, entries]) => entries.length);
  return `// Written by scripts/numbering/generate.mjs from ${from}. Do not edit.
//
// Converted from the metadata of libphonenumber, Copyright (C) 2010 The Libphonenumber Authors, licensed
// under the Apache License, Version 2.0 (LICENSE).
#include "sms/numbering.hpp"

#include <algorithm>
#include <array>

// clang-format off
namespace sms::numbering {

${span("calling_codes", "CountryRange", [["", codes]])}
${span("shared_codes", "CountryRange", filled(shared))}
${span("premium", "PremiumRange", filled(premium))}
} // namespace sms::numbering
`;
}

run({ usage, source, from, script: "generate.mjs" });
