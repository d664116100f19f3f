import { useEffect, useRef } from "react";

const isTyping = (target: EventTarget | null): boolean => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Runs an action when a key is pressed outside of fields, menus and dialogs. Keys: `j`, `?`, `Enter`, `Escape`. Keys with Ctrl, Alt or Meta are left
 * to the browser. `Enter` on a button or a link is left to it.
 */
export function useShortcuts(actions: Record<string, () => void>, enabled = true): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    if (!enabled) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const { key, target } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
      if (document.querySelector(".overlay, .popover")) return;
      if (key === "Enter" && target instanceof Element && target.closest("a, button, [role=button], [role=checkbox], label")) return;
      const action = Object.hasOwn(current.current, key) ? current.current[key] : undefined;
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [enabled]);
}
