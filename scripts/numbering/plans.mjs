// The numbering plans of libphonenumber, each as an automaton over the national digits.
import libphonenumber from "google-libphonenumber";
import { Automaton } from "./automaton.mjs";

const { PhoneNumberType: type, PhoneNumberUtil, metadata } = libphonenumber;
const util = PhoneNumberUtil.getInstance();
const NO_COUNTRY = "001"; // libphonenumber's region of the networks without a country

/** E.164: at most 15 digits, calling code included. */
export const MAX_DIGITS = 15;
export { type };

/** libphonenumber's order: a number has the first type whose expression matches it. Fixed lines and mobiles come last. */
const descriptions = [
  ["getPremiumRate", type.PREMIUM_RATE],
  ["getTollFree", type.TOLL_FREE],
  ["getSharedCost", type.SHARED_COST],
  ["getVoip", type.VOIP],
  ["getPersonalNumber", type.PERSONAL_NUMBER],
  ["getPager", type.PAGER],
  ["getUan", type.UAN],
  ["getVoicemail", type.VOICEMAIL],
  ["getFixedLine", type.FIXED_LINE],
  ["getMobile", type.MOBILE],
];

/** The numbers of one calling code. `country` is the main country of the code, or "". */
class Plan {
  #automaton = new Automaton();
  #regions;

  constructor(code, regions) {
    this.code = code;
    this.#regions = regions.map((name) => {
      const data = name === NO_COUNTRY ? util.getMetadataForNonGeographicalRegion(Number(code)) : util.getMetadataForRegion(name);
      return { country: name === NO_COUNTRY ? "" : name, data, leads: data.hasLeadingDigits() };
    });
    this.country = this.#regions[0].country;
    for (const region of this.#regions) this.#addExpressions(region);
  }

  start() {
    return this.#automaton.start();
  }

  next(state, digit) {
    return this.#automaton.next(state, digit);
  }

  isDead(state) {
    return this.#automaton.isDead(state);
  }

  /** The country and the type of the number with these national digits, or null if there is no such number. If several countries
   *  share the number, the country is the one that libphonenumber names. */
  number(state, length) {
    const matches = this.#automaton.matches(state).filter(({ lengths }) => !lengths.length || lengths.includes(length));
    const has = (region, part) => matches.some((match) => match.region === region && match.part === part);
    const typeIn = (region) =>
      has(region, "any") ? descriptions.map(([, name]) => name).find((name) => has(region, name)) : undefined;
    const region = this.#regions.find((each) => (each.leads ? has(each, "leading digits") : typeIn(each) !== undefined));
    const found = region && typeIn(region);
    return found === undefined ? null : { country: region.country, type: found };
  }

  #addExpressions(region) {
    const add = (part, description) => {
      const expression = description?.getNationalNumberPattern();
      if (expression) this.#automaton.add(expression, { region, part, lengths: description.possibleLengthArray() });
    };
    add("any", region.data.getGeneralDesc());
    for (const [getter, name] of descriptions) add(name, region.data[getter]());
    if (region.leads)
      this.#automaton.add(`(?:${region.data.getLeadingDigits()})\\d{0,${MAX_DIGITS}}`, { region, part: "leading digits", lengths: [] });
  }
}

/** The plans of all calling codes, sorted as text. */
export function plans() {
  const codes = Object.entries(metadata.countryCodeToRegionCodeMap).sort(([a], [b]) => (a < b ? -1 : 1));
  return codes.map(([code, regions]) => new Plan(code, regions));
}

/** What users of a country dial: {callingCode, trunkPrefix, shortest}. `shortest` is the number of digits of its shortest mobile numbers,
 *  without the trunk prefix. */
export function dialling(country) {
  const data = util.getMetadataForRegion(country);
  const lengths = data.getMobile().possibleLengthArray().filter((length) => length > 0); // -1: it has none
  return {
    callingCode: String(data.getCountryCode()),
    trunkPrefix: data.getNationalPrefix() ?? "",
    shortest: Math.min(...(lengths.length ? lengths : data.getGeneralDesc().possibleLengthArray())),
  };
}
