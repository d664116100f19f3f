import { Bell, Braces, CreditCard, House, MessagesSquare, Users, type LucideIcon } from "lucide-react";
import { useMemo } from "react";
import type { Namespaces } from "../i18n/index.ts";
import type { ServiceUrl } from "../session/config.ts";
import { useConfig } from "../session/index.ts";
import { lazyArea, type LazyArea } from "./lazy-area.tsx";

/** An area of the console: an entry of the navigation, with all paths below its address. */
export interface Area extends LazyArea {
  id: string;
  /** Key of the namespace `common`. */
  label: keyof Namespaces["common"];
  href: string;
  icon: LucideIcon;
  /** The service without which the area is not shown. */
  needs?: ServiceUrl;
}

const areas: readonly Area[] = [
  { id: "overview", label: "nav.overview", href: "/console", icon: House, ...lazyArea(() => import("../areas/overview/index.tsx"), "common") },
  { id: "feedback", label: "nav.feedback", href: "/console/feedback", needs: "feedbackUrl", icon: MessagesSquare, ...lazyArea(() => import("../areas/feedback/index.tsx"), "feedback") },
  { id: "users", label: "nav.users", href: "/console/users", icon: Users, ...lazyArea(() => import("../areas/users/index.tsx"), "users") },
  { id: "notify", label: "nav.notify", href: "/console/notify", needs: "notifyUrl", icon: Bell, ...lazyArea(() => import("../areas/notify/index.tsx"), "notify") },
  { id: "billing", label: "nav.billing", href: "/console/billing", needs: "billingUrl", icon: CreditCard, ...lazyArea(() => import("../areas/billing/index.tsx"), "billing") },
  { id: "developers", label: "nav.developers", href: "/console/developers", icon: Braces, ...lazyArea(() => import("../areas/developers/index.tsx"), "developers") },
];

/** The areas of the services that the operator has configured. */
export function useAreas(): Area[] {
  const config = useConfig();
  return useMemo(() => areas.filter(({ needs }) => !needs || config[needs] !== ""), [config]);
}
