import { ArrowLeftRight, FlaskConical } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { usePathname } from "../router/index.tsx";
import { otherEnvironmentUrl, useTenant } from "../session/index.ts";

/** Says in which environment the user works, over the whole width. */
export function EnvironmentBar(): ReactNode {
  const t = useT("common");
  const { environment } = useTenant();
  usePathname(); // the link leads to the same area
  const sandbox = environment === "sandbox";
  return (
    <div className={`environment environment-${environment}`} role="region" aria-label={t("environment.label")}>
      <span className="environment-name">
        {sandbox && <FlaskConical aria-hidden />}
        <strong>{t(sandbox ? "environment.sandboxMark" : "environment.production")}</strong>
        <span className="environment-text">{t(sandbox ? "environment.sandboxText" : "environment.productionText")}</span>
      </span>
      <a className="environment-switch" href={otherEnvironmentUrl(location.href)}>
        <ArrowLeftRight aria-hidden />
        {t(sandbox ? "environment.openProduction" : "environment.openSandbox")}
      </a>
    </div>
  );
}
