import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import type { Message, Messages } from "../src/i18n/format.ts";

const folder = new URL("../src/messages/", import.meta.url);
const languages = readdirSync(folder);
const areasOf = (language: string): string[] => readdirSync(new URL(`${language}/`, folder)).map((name) => name.replace(/\.ts$/, ""));
const read = async (language: string, area: string): Promise<Messages> => ((await import(`../src/messages/${language}/${area}.ts`)) as { default: Messages }).default;

const formsOf = (message: Message): Record<string, string> => (typeof message === "string" ? { other: message } : message);
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].sort();

/** The texts of all areas, by language: `[area, key]`, the message, and the message in English. */
async function textsOf(language: string): Promise<{ at: string; message: Message; english: Message | undefined }[]> {
  const areas = await Promise.all(
    areasOf(language).map(async (area) => {
      const english = areasOf("en").includes(area) ? await read("en", area) : {};
      return Object.entries(await read(language, area)).map(([key, message]) => ({ at: `${language}/${area} ${key}`, message, english: english[key] }));
    }),
  );
  return areas.flat();
}

test("there are texts in English, German and other languages", () => {
  for (const language of ["en", "de", "fr", "es", "pt", "ja", "ar"]) assert.ok(languages.includes(language), language);
});

for (const language of languages) {
  test(`${language} has only keys that English has`, async () => {
    assert.deepEqual((await textsOf(language)).filter(({ english }) => english === undefined).map(({ at }) => at), []);
  });

  test(`${language} has the placeholders of English, and no empty texts`, async () => {
    for (const { at, message, english } of await textsOf(language)) {
      const expected = placeholders(formsOf(english ?? "")["other"]!);
      const forms = formsOf(message);
      assert.deepEqual(placeholders(forms["other"]!), expected, at);
      for (const [form, text] of Object.entries(forms)) {
        assert.ok(text.trim(), at);
        // A form for one number, such as `one`, may spell the number.
        for (const name of placeholders(text)) assert.ok(expected.includes(name), `${at}, ${form}: ${name}`);
      }
    }
  });

  test(`${language} has only plural forms that the language has`, async () => {
    const known = new Intl.PluralRules(language).resolvedOptions().pluralCategories as string[];
    for (const { at, message } of await textsOf(language)) for (const form of Object.keys(formsOf(message))) assert.ok(known.includes(form), `${at}: ${form}`);
  });

  test(`${language} has all texts of the frame of the pages`, async () => {
    assert.deepEqual(Object.keys(await read(language, "common")).sort(), Object.keys(await read("en", "common")).sort());
  });
}

test("German has all texts", async () => {
  assert.deepEqual(areasOf("de").sort(), areasOf("en").sort());
  for (const area of areasOf("en")) assert.deepEqual(Object.keys(await read("de", area)).sort(), Object.keys(await read("en", area)).sort(), area);
});
