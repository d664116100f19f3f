import { useCallback, useSyncExternalStore } from "react";
import type billing from "../messages/en/billing.ts";
import type common from "../messages/en/common.ts";
import type developers from "../messages/en/developers.ts";
import type feedback from "../messages/en/feedback.ts";
import type notify from "../messages/en/notify.ts";
import type users from "../messages/en/users.ts";
import { chooseLanguage, format, type Message, type Messages, type Values } from "./format.ts";

export { format, type Message, type Messages, type Values };

/** The texts of each namespace, in English. English has all keys; see `Complete`. */
export interface Namespaces {
  common: typeof common;
  feedback: typeof feedback;
  users: typeof users;
  notify: typeof notify;
  billing: typeof billing;
  developers: typeof developers;
}
export type Namespace = keyof Namespaces;
/** A language that has all texts. */
export type Complete<Name extends Namespace> = Record<keyof Namespaces[Name], Message>;
/** A language that may lack texts. English replaces them. */
export type Some<Name extends Namespace> = Partial<Complete<Name>>;

export const languages = ["en", "de", "fr", "es", "pt", "ja", "ar"] as const;
export type Language = (typeof languages)[number];
export const languageNames: Record<Language, string> = { en: "English", de: "Deutsch", fr: "Français", es: "Español", pt: "Português", ja: "日本語", ar: "العربية" };
/** Tags for Intl and React Aria, with the regions whose texts the bundle has. */
const tags: Record<Language, string> = { en: "en-US", de: "de-DE", fr: "fr-FR", es: "es-ES", pt: "pt-BR", ja: "ja-JP", ar: "ar-AE" };

const files = import.meta.glob<{ default: Messages }>("../messages/*/*.ts");
const storageKey = "tetrad.console.language";
const listeners = new Set<() => void>();
const loaded = new Map<string, Messages>();
let wanted = new Set<Namespace>();
let language: Language = initialLanguage();
let version = 0;

function initialLanguage(): Language {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(storageKey);
  } catch {
    // The browser refuses storage.
  }
  return chooseLanguage([...(stored ? [stored] : []), ...navigator.languages], languages);
}

async function loadFile(of: Language, namespace: Namespace): Promise<void> {
  const name = `${of}/${namespace}`;
  if (loaded.has(name)) return;
  const file = files[`../messages/${name}.ts`];
  loaded.set(name, file ? (await file()).default : {});
}

/** Loads the texts of a namespace. `lazyArea` does it for areas. */
export async function loadMessages(namespace: Namespace): Promise<void> {
  wanted.add(namespace);
  await Promise.all([loadFile("en", namespace), loadFile(language, namespace)]);
}

export async function setLanguage(next: Language): Promise<void> {
  await Promise.all([...wanted].map((namespace) => loadFile(next, namespace)));
  language = next;
  version += 1;
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // The choice lasts until the page is closed.
  }
  applyLanguage();
  for (const listener of listeners) listener();
}

/** Sets language and direction of the document. */
export function applyLanguage(): void {
  document.documentElement.lang = language;
  document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
}

function messageOf(namespace: Namespace, key: string): Message {
  return loaded.get(`${language}/${namespace}`)?.[key] ?? loaded.get(`en/${namespace}`)?.[key] ?? key;
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export type Translate<Name extends Namespace> = (key: keyof Namespaces[Name] & string, values?: Values) => string;

/** Outside of components, for example in `onError`. Components use `useT`. */
export const translate = <Name extends Namespace>(namespace: Name, key: keyof Namespaces[Name] & string, values?: Values): string =>
  format(language, messageOf(namespace, key), values);

/** The texts of a namespace: `const t = useT("feedback"); t("inbox.title", { count })`. */
export function useT<Name extends Namespace>(namespace: Name): Translate<Name> {
  const current = useSyncExternalStore(subscribe, () => version);
  // The function changes with the language, so that memoised components render again.
  return useCallback((key, values) => (void current, translate(namespace, key, values)), [namespace, current]);
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => language);
}

/** The tag of the language for Intl and React Aria. */
export const currentLocale = (): string => tags[language];
export const useLocaleTag = (): string => tags[useLanguage()];

export interface Formats {
  /** Date without time: 31 Jan 2026. */
  date(value: string | number | Date): string;
  /** Date and time with seconds and zone. */
  exact(value: string | number | Date): string;
  /** Short date and time. */
  dateTime(value: string | number | Date): string;
  /** Time from now: "3 hours ago". */
  relative(value: string | number | Date, now?: number): string;
  number(value: number): string;
  /** 0.25 is 25 %. */
  percent(value: number): string;
  /** An amount in minor units, for example cents. */
  money(minorUnits: number, currency: string): string;
  /** A duration: "2 h 5 min". */
  duration(seconds: number): string;
  bytes(value: number): string;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [["year", 31_557_600], ["month", 2_629_800], ["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** Makes the value of each key once. The formatters of Intl take longer to make than to use. */
function cached<Value>(make: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return (key) => {
    let value = values.get(key);
    if (value === undefined) values.set(key, (value = make(key)));
    return value;
  };
}

function makeFormats(locale: string): Formats {
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const units = cached((key) => new Intl.NumberFormat(locale, { style: "unit", unit: key.slice(1), unitDisplay: "short", maximumFractionDigits: Number(key[0]) }));
  const unit = (value: number, name: string): string => units(`${value < 10 ? 1 : 0}${name}`).format(value);
  const currencies = cached((currency) => new Intl.NumberFormat(locale, { style: "currency", currency }));
  const at = (value: string | number | Date): Date => new Date(value);
  return {
    date: (value) => date.format(at(value)),
    exact: (value) => exact.format(at(value)),
    dateTime: (value) => dateTime.format(at(value)),
    relative: (value, now = Date.now()) => {
      const seconds = (at(value).getTime() - now) / 1000;
      const step = steps.find(([, size]) => Math.abs(seconds) >= size);
      return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : relative.format(0, "second");
    },
    number: (value) => number.format(value),
    percent: (value) => percent.format(value),
    money: (minorUnits, currency) => {
      const money = currencies(currency);
      return money.format(minorUnits / 10 ** (money.resolvedOptions().maximumFractionDigits ?? 2));
    },
    duration: (seconds) => {
      if (seconds < 60) return unit(Math.round(seconds), "second");
      if (seconds < 3600) return unit(seconds / 60, "minute");
      return seconds < 172_800 ? unit(seconds / 3600, "hour") : unit(seconds / 86_400, "day");
    },
    bytes: (value) => (value < 1000 ? unit(value, "byte") : value < 1e6 ? unit(value / 1000, "kilobyte") : unit(value / 1e6, "megabyte")),
  };
}

const formatsOf = cached(makeFormats);

/** Formats for the current language and the time zone of the browser. All components share them. */
export const useFormats = (): Formats => formatsOf(useLocaleTag());
