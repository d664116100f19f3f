import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
export const themes: readonly Theme[] = ["system", "light", "dark"];

const storageKey = "tetrad.console.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let theme: Theme = stored();
let state = current();

function stored(): Theme {
  try {
    const value = localStorage.getItem(storageKey);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

function current(): { theme: Theme; effective: "light" | "dark" } {
  return { theme, effective: theme === "system" ? (dark.matches ? "dark" : "light") : theme };
}

function update(): void {
  state = current();
  document.documentElement.dataset["theme"] = state.effective;
  for (const listener of listeners) listener();
}
dark.addEventListener("change", update);
update();

export function setTheme(next: Theme): void {
  theme = next;
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // The choice lasts until the page is closed.
  }
  update();
}

/** The chosen theme, and the one that is shown. */
export function useTheme(): { theme: Theme; effective: "light" | "dark" } {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
