import { lazy, type ComponentType } from "react";
import { loadMessages, type Namespace } from "../i18n/index.ts";

export interface LazyArea {
  component: ComponentType;
  /** Loads code and texts before the area is opened. Errors are shown only when it is opened. */
  preload: () => void;
}

/** Loads the code and the texts of an area when it is first opened, or before. */
export function lazyArea(load: () => Promise<{ default: ComponentType }>, namespace: Namespace): LazyArea {
  const loadAll = async (): Promise<{ default: ComponentType }> => {
    const [module] = await Promise.all([load(), loadMessages(namespace)]);
    return module;
  };
  return { component: lazy(loadAll), preload: () => void loadAll().catch(() => undefined) };
}
