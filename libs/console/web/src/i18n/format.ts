/** A text with placeholders such as `{name}`, or one text for each plural form of the value `count`. */
export type Message = string | ({ other: string } & Partial<Record<"zero" | "one" | "two" | "few" | "many", string>>);
export type Messages = Record<string, Message>;
export type Values = Record<string, string | number>;

const rules = new Map<string, Intl.PluralRules>();
const pluralForm = (language: string, count: number): Intl.LDMLPluralRule => {
  let rule = rules.get(language);
  if (!rule) rules.set(language, (rule = new Intl.PluralRules(language)));
  return rule.select(count);
};

const numbers = new Map<string, Intl.NumberFormat>();
const formatted = (language: string, value: string | number): string => {
  if (typeof value === "string") return value;
  let format = numbers.get(language);
  if (!format) numbers.set(language, (format = new Intl.NumberFormat(language)));
  return format.format(value);
};

/** The text of a message, with its values. Unknown placeholders stay as they are. */
export function format(language: string, message: Message, values: Values = {}): string {
  const count = values["count"];
  const text = typeof message === "string" ? message : (message[pluralForm(language, Number(count))] ?? message.other);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : formatted(language, value);
  });
}

/** The language of the console for the languages that a browser prefers. */
export function chooseLanguage<Language extends string>(wanted: readonly string[], supported: readonly Language[]): Language {
  for (const tag of wanted) {
    const found = supported.find((language) => language === tag.toLowerCase().split("-")[0]);
    if (found) return found;
  }
  return supported[0]!;
}
