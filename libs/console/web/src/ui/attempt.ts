import { useState } from "react";
import { isCancelled } from "./errors.ts";

/** The state of an action that a person starts and that may fail. */
export interface Attempt {
  /** Runs the action. A failure becomes `error`, unless the person has cancelled the confirmation of the sign-in. */
  run: (action: () => Promise<void>) => Promise<void>;
  pending: boolean;
  /** The failure of the last action; null if it succeeded. */
  error: unknown;
  /** Forgets the failure. */
  clear: () => void;
}

/** Keeps the state of an action, for its button and its error. */
export function useAttempt(): Attempt {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const clear = (): void => setError(null);
  const run = async (action: () => Promise<void>): Promise<void> => {
    setPending(true);
    clear();
    try {
      await action();
    } catch (failure) {
      if (!isCancelled(failure)) setError(failure);
    } finally {
      setPending(false);
    }
  };
  return { run, pending, error, clear };
}
