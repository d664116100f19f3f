import { ApiError } from "@tetrad/client";
import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from "react";
import { StepUpDialog, type StepUpMethod } from "./step-up-dialog.tsx";
import { StepUpCancelled } from "./cancelled.ts";
import { readClaims } from "./claims.ts";
import { useClients, useConsoleSession, useMe } from "./context.tsx";

export interface StepUpOptions {
  /** Asks before the action if the user has last authenticated more than 5 minutes ago. For actions with wide effects, such as erasures, exports and new keys. */
  fresh?: boolean;
}
type StepUp = <Value>(action: () => PromiseLike<Value>, options?: StepUpOptions) => Promise<Value>;

const freshSeconds = 300;
const StepUpContext = createContext<StepUp | null>(null);

interface Request {
  methods: StepUpMethod[];
  done: (confirmed: boolean) => void;
}

export function StepUpProvider({ children }: { children: ReactNode }): ReactNode {
  const { auth } = useClients();
  const session = useConsoleSession();
  const me = useMe();
  const authTime = useRef(me.auth_time);
  authTime.current = Math.max(authTime.current, me.auth_time);
  const [request, setRequest] = useState<Request | null>(null);

  /** The confirmation that the dialog asks for. Further actions wait for the same one. */
  const asked = useRef<Promise<boolean> | null>(null);
  const ask = useCallback(async (methods: StepUpMethod[]) => {
    asked.current ??= new Promise<boolean>((done) => setRequest({ methods, done })).finally(() => {
      asked.current = null;
      setRequest(null);
    });
    if (!(await asked.current)) throw new StepUpCancelled();
  }, []);

  const methodsOfUser = useCallback(async (): Promise<StepUpMethod[]> => {
    const { factors, recoveryCodesLeft } = await auth.getFactors();
    const methods: StepUpMethod[] = [...factors.toReversed(), "password"];
    if (recoveryCodesLeft > 0) methods.push("recovery_code");
    return methods;
  }, [auth]);

  const run = useCallback<StepUp>(
    async (action, { fresh = false } = {}) => {
      if (fresh && Date.now() / 1000 - authTime.current > freshSeconds - 10) await ask(await methodsOfUser());
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof ApiError) || !error.is("REAUTHENTICATION_REQUIRED")) throw error;
        await ask((error.body.available_methods ?? ["password"]) as StepUpMethod[]);
        return action();
      }
    },
    [ask, methodsOfUser],
  );

  const confirm = useMemo(
    () => (accessToken: string) => {
      session.replaceAccessToken(accessToken);
      authTime.current = readClaims(accessToken).auth_time;
      request?.done(true);
    },
    [session, request],
  );

  return (
    <StepUpContext value={run}>
      {children}
      {request && <StepUpDialog methods={request.methods} onConfirmed={confirm} onCancel={() => request.done(false)} />}
    </StepUpContext>
  );
}

/**
 * Returns a function that runs an action. If the service answers `REAUTHENTICATION_REQUIRED`, the user confirms the identity in a dialog, and
 * the action runs again. Rejects with `StepUpCancelled` if the user closes the dialog.
 *
 * `const stepUp = useStepUp(); await stepUp(() => auth.deleteMember(id), { fresh: true });`
 */
export function useStepUp(): StepUp {
  const value = useContext(StepUpContext);
  if (!value) throw new Error("The component is outside of StepUpProvider.");
  return value;
}
