import { useState } from "react";

/** Runs one action at a time. Returns the function that runs it, whether it runs, and its error. */
export function useAction<Arguments extends unknown[]>(action: (...given: Arguments) => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const run = async (...given: Arguments): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError("");
    try {
      await action(...given);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    setBusy(false);
  };
  return { run, isBusy, error };
}
