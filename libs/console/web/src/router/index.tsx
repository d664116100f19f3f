import { useCallback, useMemo, useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent, type ReactNode } from "react";
import { matchPath } from "./match.ts";

export { matchPath };

const changed = new EventTarget();
let moves = 0;

export interface NavigateOptions {
  /** Whether the entry replaces the current one of the history. */
  replace?: boolean;
}

/** Goes to a path of the console, for example `/console/feedback?status=open`. */
export function navigate(to: string, { replace = false }: NavigateOptions = {}): void {
  const target = new URL(to, location.href);
  if (target.origin !== location.origin || !/^\/console(\/|$)/.test(target.pathname)) {
    location.assign(target);
    return;
  }
  const before = location.pathname;
  history[replace ? "replaceState" : "pushState"](null, "", target);
  moves += 1;
  changed.dispatchEvent(new Event("change"));
  if (target.pathname !== before) scrollTo(0, 0);
}

/** How often the page has changed its address since it was loaded. */
export const moveCount = (): number => moves;

const subscribe = (listener: () => void): (() => void) => {
  const onPop = (): void => {
    moves += 1;
    listener();
  };
  addEventListener("popstate", onPop);
  changed.addEventListener("change", listener);
  return () => {
    removeEventListener("popstate", onPop);
    changed.removeEventListener("change", listener);
  };
};

export const usePathname = (): string => useSyncExternalStore(subscribe, () => location.pathname);

export type SearchChanges = Record<string, string | null | undefined>;

/** The search parameters of the address, and a function that changes some of them. Null and empty values remove a parameter. */
export function useSearch(): [URLSearchParams, (changes: SearchChanges, options?: NavigateOptions) => void] {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback((changes: SearchChanges, options: NavigateOptions = { replace: true }) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === undefined || value === "") next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    navigate(location.pathname + (text && `?${text}`), options);
  }, []);
  return [params, change];
}

export interface RouteEntry {
  path: string;
  render: (params: Record<string, string>) => ReactNode;
}

/** Renders the first route that matches the address. */
export function Routes({ routes, otherwise = null }: { routes: RouteEntry[]; otherwise?: ReactNode }): ReactNode {
  const pathname = usePathname();
  for (const route of routes) {
    const params = matchPath(route.path, pathname);
    if (params) return route.render(params);
  }
  return otherwise;
}

export type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string };

/** A link within the console. Clicks with a modifier key open another tab as usual. */
export function Link({ href, onClick, ...rest }: LinkProps): ReactNode {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || rest.target) return;
    event.preventDefault();
    navigate(href);
  };
  return <a href={href} onClick={follow} {...rest} />;
}
