import type { ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { TextField } from "../../ui/index.ts";
import { sampleOf } from "./model.ts";

interface Props {
  names: readonly string[];
  values: Record<string, string>;
  onChange: (values: Record<string, string>) => void;
  /** Errors of the service by field, for example `variables/name`. */
  errors?: Record<string, string>;
  /** Whether empty fields have sample values, as in previews. */
  samples?: boolean;
}

/** One field for the value of each placeholder. */
export function VariableFields({ names, values, onChange, errors = {}, samples = false }: Props): ReactNode {
  const t = useT("notify");
  if (names.length === 0) return null;
  return (
    <fieldset className="notify-variables">
      <legend className="field-label">{t("variables.title")}</legend>
      <div className="notify-variable-fields">
        {names.map((name) => (
          <TextField
            key={name}
            label={name}
            value={values[name] ?? ""}
            onChange={(value) => onChange({ ...values, [name]: value })}
            placeholder={samples ? sampleOf(name) : ""}
            error={errors[`variables/${name}`]}
            autoComplete="off"
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The values of placeholders, with samples for empty fields. */
export const withSamples = (names: readonly string[], values: Record<string, string>): Record<string, string> => Object.fromEntries(names.map((name) => [name, values[name] || sampleOf(name)]));
