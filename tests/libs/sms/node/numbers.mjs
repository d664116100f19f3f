// Prints what libphonenumber says of numbers of every country and type, one number a line:
//
//     EXAMPLE NUMBER COUNTRY TYPE
//
// EXAMPLE is `example` for libphonenumber's example numbers. It is `similar` for the valid numbers that differ from an example in one
// digit. COUNTRY is `-` for networks without a country.
import libphonenumber from "google-libphonenumber";

const { PhoneNumberFormat, PhoneNumberType, PhoneNumberUtil } = libphonenumber;
const util = PhoneNumberUtil.getInstance();
const names = new Map(Object.entries(PhoneNumberType).map(([name, type]) => [type, name]));
const NO_COUNTRY = "001";
const MAX_DIGITS = 15; // E.164

const textOf = (number) => util.format(number, PhoneNumberFormat.E164);

function describe(number) {
  const country = util.getRegionCodeForNumber(number);
  return `${textOf(number)} ${country === NO_COUNTRY ? "-" : country} ${names.get(util.getNumberType(number))}`;
}

function examples() {
  const found = util.getSupportedGlobalNetworkCallingCodes().map((code) => util.getExampleNumberForNonGeoEntity(code));
  for (const country of util.getSupportedRegions())
    for (const type of util.getSupportedTypesForRegion(country)) found.push(util.getExampleNumberForType(country, type));
  return found.filter((number) => number);
}

/** The valid numbers that differ from `number` in one digit after the calling code. */
function* similar(number) {
  const text = textOf(number);
  for (let at = 1 + String(number.getCountryCode()).length; at < text.length; ++at)
    for (let digit = 0; digit < 10; ++digit) {
      const other = text.slice(0, at) + digit + text.slice(at + 1);
      const parsed = other === text ? null : util.parse(other);
      // The parser removes a national prefix such as 0. What remains is another number.
      if (parsed && textOf(parsed) === other && util.isValidNumber(parsed)) yield parsed;
    }
}

const lines = new Set();
const add = (kind, number) => textOf(number).length <= 1 + MAX_DIGITS && lines.add(`${kind} ${describe(number)}`);
for (const number of examples()) {
  add("example", number);
  for (const other of similar(number)) add("similar", other);
}
console.log([...lines].join("\n"));
