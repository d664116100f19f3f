import type { SessionUser } from "@tetrad/client/react";
import { config } from "./config";
import { removeDevice } from "./device";
import { Dialog } from "./Dialog";
import { signIn, signOut } from "./sign-in";
import { useAction } from "./useAction";

export function Account({ user, isPro, onClose }: { user: SessionUser; isPro: boolean; onClose: () => void }) {
  const leave = useAction(async () => {
    await removeDevice();
    await signOut();
  });
  return (
    <Dialog title="Account" onClose={onClose}>
      <dl className="facts">
        <dt>Email</dt>
        <dd>{user.email}</dd>
        <dt>Plan</dt>
        <dd>{isPro ? "Notes Pro" : "Free"}</dd>
        <dt>This sign-in</dt>
        <dd>{user.acr === "aal2" ? "With a passkey or a second factor" : "With a password only"}</dd>
      </dl>
      <p className="small">
        <a href={`${config.authUrl}/account`} target="_blank" rel="noopener">
          Password, passkeys and sessions<span className="sr"> in a new tab</span>
        </a>
      </p>
      <p className="error" role="alert">
        {leave.error}
      </p>
      <div className="buttons">
        {user.acr !== "aal2" && (
          <button type="button" className="secondary" onClick={() => void signIn({ acr_values: "aal2" })}>
            Add a passkey
          </button>
        )}
        <button type="button" className="primary" disabled={leave.isBusy} onClick={() => void leave.run()}>
          Sign out
        </button>
      </div>
    </Dialog>
  );
}
