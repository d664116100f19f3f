import { useState, type FormEvent, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { navigate } from "../../router/index.tsx";
import { useClients } from "../../session/index.ts";
import { Button, Dialog, ErrorNotice, fieldErrors, isCancelled, TextField, toast } from "../../ui/index.ts";
import { userHref, type Role } from "./model.ts";
import { useAction } from "./queries.ts";
import { RoleChoice } from "./role-choice.tsx";

const formId = "users-invite";

/** Invites a user by email. */
export function InviteDialog({ onClose }: { onClose: () => void }): ReactNode {
  const t = useT("users");
  const common = useT("common");
  const { auth } = useClients();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("user");
  const invite = useAction(() => auth.createMember({ email: email.trim(), role, invite: true }));
  const fields = fieldErrors(invite.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (email.trim() === "" || invite.isPending) return;
    invite.mutate(undefined, {
      onSuccess: (member) => {
        onClose();
        toast.success(t("invite.done", { email: member.email }), { action: { label: t("invite.open"), run: () => navigate(userHref(member.userId)) } });
      },
    });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t("invite.title")}
      size="s"
      footer={
        <>
          <Button onPress={onClose}>{common("action.cancel")}</Button>
          <Button variant="primary" type="submit" form={formId} isPending={invite.isPending} isDisabled={email.trim() === ""}>
            {t("invite.send")}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="stack" noValidate>
        <p className="muted">{t("invite.text")}</p>
        <TextField label={t("invite.email")} type="email" value={email} onChange={setEmail} autoFocus isRequired autoComplete="off" maxLength={254} error={fields["email"]} placeholder="ada@example.com" />
        <RoleChoice value={role} onChange={setRole} />
        {invite.error && !isCancelled(invite.error) && !fields["email"] ? <ErrorNotice error={invite.error} title={t("invite.failed")} /> : null}
      </form>
    </Dialog>
  );
}
