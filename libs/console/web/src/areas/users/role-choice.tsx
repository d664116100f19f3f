import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { RadioGroup } from "../../ui/index.ts";
import { roles, type Role } from "./model.ts";

/** The roles, each with what it allows. */
export function RoleChoice({ value, onChange, staffDisabled = false }: { value: Role; onChange: (role: Role) => void; staffDisabled?: boolean }): ReactNode {
  const t = useT("users");
  const common = useT("common");
  return (
    <RadioGroup
      label={t("column.role")}
      value={value}
      onChange={onChange}
      options={roles.map((role) => ({ value: role, label: common(`role.${role}`), description: t(`roleText.${role}`), isDisabled: staffDisabled && role !== "user" }))}
    />
  );
}
