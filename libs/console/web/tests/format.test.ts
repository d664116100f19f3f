import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage, format } from "../src/i18n/format.ts";

test("placeholders are replaced, and numbers are written as in the language", () => {
  assert.equal(format("en", "{name}: {count}", { name: "A", count: 1234 }), "A: 1,234");
  assert.equal(format("de", "{count}", { count: 1234 }), "1.234");
});

test("a value is not read as a placeholder, and unknown placeholders stay", () => {
  assert.equal(format("en", "{a} {b}", { a: "{b}" }), "{b} {b}");
});

test("the plural form of the language is chosen", () => {
  const message = { one: "{count} thread", other: "{count} threads" };
  assert.equal(format("en", message, { count: 1 }), "1 thread");
  assert.equal(format("en", message, { count: 0 }), "0 threads");
  assert.equal(format("ja", message, { count: 1 }), "1 threads");
});

test("the first supported language of the browser is used, otherwise the first one", () => {
  const supported = ["en", "de", "pt"] as const;
  assert.equal(chooseLanguage(["fr-FR", "pt-BR", "de"], supported), "pt");
  assert.equal(chooseLanguage(["DE-at"], supported), "de");
  assert.equal(chooseLanguage([], supported), "en");
});
