// Writes services/auth-mfa/pages/country_table.cpp from Unicode's CLDR and the metadata of libphonenumber. See --help.
import { createRequire } from "node:module";
import { run, versionOf, wrap } from "./file.mjs";
import { dialling, plans } from "./plans.mjs";
import { countriesOf } from "./ranges.mjs";

const usage = `usage: node countries.mjs [--check] FILE

Writes FILE, which is services/auth-mfa/pages/country_table.cpp, from the npm packages cldr-localenames-full and google-libphonenumber.
package.json names their versions; install them with \`npm ci\` first. --check compares FILE with the packages, changes nothing, and exits
with 1 if they differ.
`;

const packages = ["cldr-localenames-full", "google-libphonenumber"];
const from = packages.map((name) => `${name} ${versionOf(name)}`).join(" and ");

/** The languages of the hosted pages. */
const LANGUAGES = ["en", "de", "fr", "es", "pt", "ja", "ar"];

/** The countries whose short name everybody uses. */
const SHORT = new Set(["HK", "MO", "PS"]);

/** The countries to which libs/sms assigns numbers. */
const countries = [...new Set(plans().flatMap((plan) => [plan.country, ...countriesOf(plan).map((range) => range.kind)]))]
  .filter((country) => country !== "")
  .sort();

/** [country, name] of all countries, sorted by name as readers of the language expect. */
function namesIn(language) {
  const { territories } = createRequire(import.meta.url)(`cldr-localenames-full/main/${language}/territories.json`).main[
    language
  ].localeDisplayNames;
  const compare = new Intl.Collator(language).compare;
  const name = (country) => (SHORT.has(country) && territories[`${country}-alt-short`]) || territories[country];
  return countries.map((country) => [country, name(country)]).sort(([, a], [, b]) => compare(a, b));
}

const entry = (...parts) => `{${parts.map((part) => JSON.stringify(part)).join(", ")}}`;

function diallingEntry(country) {
  const { callingCode, trunkPrefix, shortest } = dialling(country);
  return entry(country, callingCode, trunkPrefix, shortest);
}

const table = (name, type, entries) => `constexpr auto ${name} = std::to_array<${type}>({
${wrap(entries).join("\n")}
});
`;

function source() {
  const names = LANGUAGES.map((language) =>
    table(`names_${language}`, "CountryName", namesIn(language).map((each) => entry(...each))),
  );
  return `// Written by scripts/numbering/countries.mjs from
// ${from}. Do not edit.
//
// The names are from the CLDR, Copyright (C) 2004-2026 Unicode, Inc., licensed under the Unicode License V3
// (https://www.unicode.org/license.txt). The calling codes, trunk prefixes and lengths are from the metadata
// of libphonenumber, Copyright (C) 2010 The Libphonenumber Authors, licensed under the Apache License,
// Version 2.0 (LICENSE).
#include "pages/countries.hpp"

#include <algorithm>
#include <array>

// clang-format off
namespace auth_mfa::pages {

namespace {

${table("table", "Country", countries.map(diallingEntry))}static_assert(std::ranges::is_sorted(table, {}, &Country::code));

${names.join("\n")}
} // namespace

std::span<Country const> countries()
{
    return table;
}

std::span<CountryName const> country_names(std::string_view language)
{
${LANGUAGES.slice(1)
  .map((language) => `    if (language == "${language}") return names_${language};\n`)
  .join("")}    return names_${LANGUAGES[0]};
}

} // namespace auth_mfa::pages
`;
}

run({ usage, source, from, script: "countries.mjs" });
