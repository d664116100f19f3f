import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { navigate } from "../../router/index.tsx";
import { useClients, useStepUp } from "../../session/index.ts";
import { Button, ConfirmDialog, Dialog, ErrorNotice, isCancelled, Notice, readAgain, toast } from "../../ui/index.ts";
import { erasureHref, type Member, type Role } from "./model.ts";
import { keys, useAction } from "./queries.ts";
import { RoleChoice } from "./role-choice.tsx";

export type MemberAction = "role" | "disable" | "enable" | "invite-again" | "end-sessions" | "reset" | "erase";
type Simple = Exclude<MemberAction, "role" | "erase">;

interface Props {
  member: Member;
  onClose: () => void;
}

/** The dialog of an action. It asks before the action runs, and shows why it failed. */
export function MemberDialog({ action, member, onClose }: Props & { action: MemberAction }): ReactNode {
  if (action === "role") return <RoleDialog member={member} onClose={onClose} />;
  if (action === "erase") return <EraseDialog member={member} onClose={onClose} />;
  return <SimpleDialog action={action} member={member} onClose={onClose} />;
}

function SimpleDialog({ action, member, onClose }: Props & { action: Simple }): ReactNode {
  const t = useT("users");
  const { auth } = useClients();
  const id = member.userId;
  const run: Record<Simple, () => PromiseLike<unknown>> = {
    disable: () => auth.updateMember(id, { status: "disabled" }),
    enable: () => auth.updateMember(id, { status: "active" }),
    // The API sends another invitation when a disabled member without a password is enabled.
    "invite-again": async () => {
      if (member.status === "invited") await auth.updateMember(id, { status: "disabled" });
      return auth.updateMember(id, { status: "active" });
    },
    "end-sessions": () => auth.endMemberSessions(id),
    reset: () => auth.resetMember(id),
  };
  const mutation = useAction(run[action]);
  const withdraws = action === "disable" && member.status === "invited";
  const name = withdraws ? "withdraw" : action;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t(`dialog.${name}.title`)}
      confirmLabel={t(`dialog.${name}.confirm`)}
      tone={action === "enable" || action === "invite-again" ? "primary" : "danger"}
      onConfirm={async () => {
        await mutation.mutateAsync();
        toast.success(t(`dialog.${name}.done`, { email: member.email }));
      }}
    >
      <p className="strong" dir="auto">
        {member.email}
      </p>
      <p className="muted">{t(`dialog.${name}.text`)}</p>
    </ConfirmDialog>
  );
}

function RoleDialog({ member, onClose }: Props): ReactNode {
  const t = useT("users");
  const common = useT("common");
  const { auth } = useClients();
  const [role, setRole] = useState<Role>(member.role);
  const change = useAction(() => auth.updateMember(member.userId, { role }));
  const save = (): void =>
    change.mutate(undefined, {
      onSuccess: () => {
        toast.success(t("dialog.role.done", { email: member.email, role: common(`role.${role}`) }));
        onClose();
      },
    });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("dialog.role.title")}
      size="s"
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" isDisabled={role === member.role} isPending={change.isPending} onPress={save}>
            {t("dialog.role.confirm")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="strong" dir="auto">
          {member.email}
        </p>
        <RoleChoice value={role} onChange={setRole} staffDisabled={!member.emailVerified} />
        {!member.emailVerified && <Notice tone="warning">{t("dialog.role.unverified")}</Notice>}
        {role !== member.role && <p className="small muted">{t("dialog.role.text")}</p>}
        {change.error && !isCancelled(change.error) ? <ErrorNotice error={change.error} title={t("dialog.role.failed")} /> : null}
      </div>
    </Dialog>
  );
}

function EraseDialog({ member, onClose }: Props): ReactNode {
  const t = useT("users");
  const { auth } = useClients();
  const stepUp = useStepUp();
  const client = useQueryClient();
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t("erase.title")}
      confirmLabel={t("erase.confirm")}
      typeToConfirm={member.email}
      onConfirm={async () => {
        const { erasureId } = await stepUp(() => auth.deleteMember(member.userId), { fresh: true });
        navigate(erasureHref(erasureId), { replace: true });
        client.removeQueries({ queryKey: keys.profile(member.userId) });
        void readAgain(client, keys.all);
      }}
    >
      <p>{t("erase.text")}</p>
      <ul className="users-erase-list">
        <li>{t("erase.auth")}</li>
        <li>{t("erase.feedback")}</li>
        <li>{t("erase.notify")}</li>
        <li>{t("erase.billing")}</li>
      </ul>
      <p className="muted">{t("erase.hint")}</p>
    </ConfirmDialog>
  );
}
