import { LockKeyhole, LogIn, ShieldAlert, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { Button, ErrorNotice, Spinner } from "../ui/index.ts";
import { currentTenant, otherEnvironmentUrl } from "./environment.ts";
import { useSessionState } from "./context.tsx";
import type { ConsoleSession } from "./session.ts";

function Notice({ icon, title, text, children }: { icon: ReactNode; title: string; text?: string; children?: ReactNode }): ReactNode {
  return (
    <main className="gate">
      <div className="gate-card card">
        <span className="gate-icon">{icon}</span>
        <h1>{title}</h1>
        {text && <p className="muted">{text}</p>}
        {children}
      </div>
    </main>
  );
}

function OtherEnvironment(): ReactNode {
  const t = useT("common");
  return (
    <a className="link" href={otherEnvironmentUrl(location.href)}>
      {t(currentTenant().environment === "sandbox" ? "environment.openProduction" : "environment.openSandbox")}
    </a>
  );
}

/** Shows the console to staff with a second factor. All others see the reason and the next step. */
export function Gate({ session, children }: { session: ConsoleSession; children: ReactNode }): ReactNode {
  const t = useT("common");
  const state = useSessionState(session);
  const { slug, environment } = currentTenant();
  switch (state.status) {
    case "loading":
      return (
        <main className="gate">
          <Spinner label={t("session.loading")} />
        </main>
      );
    case "failed":
      return (
        <Notice icon={<ShieldAlert />} title={t("session.failed")}>
          <ErrorNotice error={state.error} />
          <Button variant="primary" onPress={() => void session.signIn()}>
            {t("session.signIn")}
          </Button>
        </Notice>
      );
    case "signed-out":
      return (
        <Notice icon={<LogIn />} title={t("session.signedOut")} text={t("session.signedOutText", { tenant: slug, environment: t(`environment.${environment}`) })}>
          <p className="muted">{t("session.ownAccounts")}</p>
          <Button variant="primary" onPress={() => void session.signIn()}>
            {t("session.signIn")}
          </Button>
          <OtherEnvironment />
        </Notice>
      );
    default:
  }
  if (state.standing === "not-staff")
    return (
      <Notice icon={<LockKeyhole />} title={t("session.notStaff")} text={t("session.notStaffText", { email: state.claims.email })}>
        <Button variant="primary" onPress={() => void session.signIn({ prompt: "select_account" })}>
          {t("session.otherAccount")}
        </Button>
        <OtherEnvironment />
        <Button variant="ghost" onPress={() => void session.signOut()}>
          {t("session.signOut")}
        </Button>
      </Notice>
    );
  if (state.standing === "second-factor-needed")
    return (
      <Notice icon={<ShieldCheck />} title={t("session.secondFactor")} text={t("session.secondFactorText")}>
        <Button variant="primary" onPress={() => void session.signIn({ acr_values: "aal2" })}>
          {t("session.secondFactorContinue")}
        </Button>
        <Button variant="ghost" onPress={() => void session.signOut()}>
          {t("session.signOut")}
        </Button>
      </Notice>
    );
  return children;
}
