// Counts which methods of the clients are called.
import { Auth, Billing, Feedback, Notify } from "@tetrad/client";

const called = new Set<string>();
const all: string[] = [];

/** Counts the calls of each method of an object. `area`: name of the class. */
function watch(area: string, methods: object): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
    if (name === "constructor" || typeof value !== "function") continue;
    all.push(`${area}.${name}`);
    const counted = function (this: unknown, ...args: unknown[]): unknown {
      called.add(`${area}.${name}`);
      return value.apply(this, args);
    };
    Object.defineProperty(methods, name, { value: counted });
  }
}

for (const area of [Auth, Billing, Feedback, Notify]) {
  watch(area.name, area.prototype); // the methods that are written by hand
  watch(area.name, Object.getPrototypeOf(area.prototype)); // the generated methods
}

/** Methods of the clients that no story has called. */
export const uncalled = (): string[] => all.filter((name) => !called.has(name));
/** Number of the methods. */
export const count = all.length;
