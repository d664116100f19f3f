import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Badge, type Tone } from "../../ui/index.ts";
import type { ErasureState, Role, Status } from "./model.ts";

const roleTones: Record<Role, Tone> = { user: "neutral", admin: "info", owner: "violet" };
const statusTones: Record<Status, Tone> = { active: "success", invited: "warning", disabled: "danger" };
const erasureTones: Record<ErasureState, Tone> = { running: "info", done: "success", failed: "danger" };

/** An email address that wraps before the `@` where space is short. */
export function EmailText({ email }: { email: string }): ReactNode {
  const at = email.lastIndexOf("@");
  if (at < 0) return email;
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  );
}

export function RoleBadge({ role }: { role: Role }): ReactNode {
  const t = useT("common");
  return <Badge tone={roleTones[role]}>{t(`role.${role}`)}</Badge>;
}

export function StatusBadge({ status }: { status: Status }): ReactNode {
  const t = useT("users");
  return (
    <Badge tone={statusTones[status]} dot>
      {t(`status.${status}`)}
    </Badge>
  );
}

export function ErasureBadge({ state }: { state: ErasureState }): ReactNode {
  const t = useT("users");
  return (
    <Badge tone={erasureTones[state]} dot>
      {t(`erasure.state.${state}`)}
    </Badge>
  );
}
