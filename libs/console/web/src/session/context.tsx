import { Auth, Billing, Feedback, Notify } from "@tetrad/client";
import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from "react";
import type { Claims } from "./claims.ts";
import type { ConsoleConfig } from "./config.ts";
import { currentTenant, type Tenant } from "./environment.ts";
import type { ConsoleSession, SessionState } from "./session.ts";

/** The clients of the four services, with the token of the signed-in user. */
export interface Clients {
  auth: Auth;
  feedback: Feedback;
  notify: Notify;
  billing: Billing;
}

interface Console {
  session: ConsoleSession;
  clients: Clients;
  config: ConsoleConfig;
  tenant: Tenant;
}

const ConsoleContext = createContext<Console | null>(null);

function useConsole(): Console {
  const value = useContext(ConsoleContext);
  if (!value) throw new Error("The component is outside of ConsoleProvider.");
  return value;
}

export function ConsoleProvider({ session, config, children }: { session: ConsoleSession; config: ConsoleConfig; children: ReactNode }): ReactNode {
  const value = useMemo<Console>(() => {
    const { tokenProvider } = session;
    // Areas of services without a URL are not shown, so their clients are not used.
    const at = (url: string): { baseUrl: string; tokenProvider: typeof tokenProvider } => ({ baseUrl: url || location.origin, tokenProvider });
    return {
      session,
      config,
      tenant: currentTenant(),
      clients: {
        auth: new Auth(at(location.origin)),
        feedback: new Feedback(at(config.feedbackUrl)),
        notify: new Notify(at(config.notifyUrl)),
        billing: new Billing(at(config.billingUrl)),
      },
    };
  }, [session, config]);
  return <ConsoleContext value={value}>{children}</ConsoleContext>;
}

/** The SDK's clients: `const { feedback } = useClients()`. */
export const useClients = (): Clients => useConsole().clients;
/** The tenant and the environment that the address names. */
export const useTenant = (): Tenant => useConsole().tenant;
/** The addresses of the other services, and the name of the tenant. An address is empty if the service is not configured. */
export const useConfig = (): ConsoleConfig => useConsole().config;
export const useConsoleSession = (): ConsoleSession => useConsole().session;
export const useSessionState = (session: ConsoleSession): SessionState => useSyncExternalStore(session.subscribe, () => session.state);

/** The signed-in user. */
export function useMe(): Claims {
  const state = useSessionState(useConsoleSession());
  if (state.status !== "signed-in" && state.status !== "ended") throw new Error("No user is signed in.");
  return state.claims;
}

/** Whether the user is an owner. Admins see no actions of owners. */
export const useIsOwner = (): boolean => useMe().role === "owner";
