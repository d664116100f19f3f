import { Check, ChevronDown, Minus, Search, X } from "lucide-react";
import type { HTMLAttributes, ReactNode, RefObject } from "react";
import {
  Button,
  Checkbox as AriaCheckbox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Radio,
  RadioGroup as AriaRadioGroup,
  SearchField as AriaSearchField,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  Text,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type CheckboxProps,
  type SwitchProps,
} from "react-aria-components";

interface Common {
  label: string;
  /** Hides the label from view. It stays the name of the field. */
  hideLabel?: boolean;
  description?: ReactNode;
  /** Message of an invalid field, for example `fieldErrors(error).title`. */
  error?: string | undefined;
  isRequired?: boolean;
  isDisabled?: boolean;
  name?: string;
  className?: string;
}

function Hints({ description }: { description?: ReactNode }): ReactNode {
  return (
    <>
      {description && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error" />
    </>
  );
}
const labelClass = (hidden?: boolean): string => (hidden ? "visually-hidden" : "field-label");
const fieldClass = (className?: string): string => `field${className ? ` ${className}` : ""}`;
const validation = (error?: string): { isInvalid: boolean; validationBehavior: "aria" } => ({ isInvalid: error !== undefined, validationBehavior: "aria" });

export interface TextFieldProps extends Common {
  value: string;
  onChange: (value: string) => void;
  type?: "text" | "email" | "password" | "url" | "number" | "date" | "datetime-local" | "time" | "color" | "tel";
  placeholder?: string;
  autoFocus?: boolean;
  autoComplete?: string;
  inputMode?: HTMLAttributes<HTMLInputElement>["inputMode"];
  maxLength?: number;
  min?: string | number;
  max?: string | number;
  step?: string | number;
  isReadOnly?: boolean;
  /** For identifiers and codes. */
  monospace?: boolean;
  inputRef?: RefObject<HTMLInputElement | null>;
}

export function TextField({ label, hideLabel, description, error, className, placeholder, monospace, inputRef, min, max, step, ...rest }: TextFieldProps): ReactNode {
  return (
    <AriaTextField {...rest} {...validation(error)} className={fieldClass(className)}>
      <Label className={labelClass(hideLabel)}>{label}</Label>
      <Input ref={inputRef} className={`input${monospace ? " monospace" : ""}`} placeholder={placeholder} min={min} max={max} step={step} />
      <Hints description={description} />
      {error && <span className="field-error">{error}</span>}
    </AriaTextField>
  );
}

export interface TextAreaProps extends Common {
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  placeholder?: string;
  maxLength?: number;
  autoFocus?: boolean;
  isReadOnly?: boolean;
  monospace?: boolean;
  inputRef?: RefObject<HTMLTextAreaElement | null>;
  onKeyDown?: (event: { key: string; metaKey: boolean; ctrlKey: boolean; preventDefault: () => void }) => void;
}

export function TextArea({ label, hideLabel, description, error, className, placeholder, rows = 4, monospace, inputRef, onKeyDown, ...rest }: TextAreaProps): ReactNode {
  return (
    <AriaTextField {...rest} {...validation(error)} className={fieldClass(className)}>
      <Label className={labelClass(hideLabel)}>{label}</Label>
      <AriaTextArea ref={inputRef} className={`input textarea${monospace ? " monospace" : ""}`} rows={rows} placeholder={placeholder} onKeyDown={onKeyDown} dir="auto" />
      <Hints description={description} />
      {error && <span className="field-error">{error}</span>}
    </AriaTextField>
  );
}

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onSubmit?: (value: string) => void;
  placeholder?: string;
  inputRef?: RefObject<HTMLInputElement | null>;
  className?: string;
}

export function SearchField({ label, placeholder, inputRef, className, ...rest }: SearchFieldProps): ReactNode {
  return (
    <AriaSearchField {...rest} aria-label={label} className={`search${className ? ` ${className}` : ""}`}>
      <Search className="search-icon" aria-hidden />
      <Input ref={inputRef} className="input search-input" placeholder={placeholder ?? label} />
      <Button className="search-clear">
        <X aria-hidden />
      </Button>
    </AriaSearchField>
  );
}

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  /** For example a coloured dot. */
  icon?: ReactNode;
  description?: string;
  isDisabled?: boolean;
}

export interface SelectProps<Value extends string> extends Common {
  value: Value | null;
  onChange: (value: Value) => void;
  options: readonly Option<Value>[];
  placeholder?: string;
  size?: "s" | "m";
}

export function Select<Value extends string>({ label, hideLabel, description, error, className, options, value, onChange, placeholder, size = "m", ...rest }: SelectProps<Value>): ReactNode {
  return (
    <AriaSelect
      {...rest}
      {...validation(error)}
      className={fieldClass(className)}
      placeholder={placeholder ?? "—"}
      value={value}
      onChange={(key) => {
        if (key !== null) onChange(key as Value);
      }}
    >
      <Label className={labelClass(hideLabel)}>{label}</Label>
      <Button className={`input select-button${size === "s" ? " input-s" : ""}`}>
        <SelectValue className="select-value" />
        <ChevronDown aria-hidden className="select-arrow" />
      </Button>
      <Hints description={description} />
      {error && <span className="field-error">{error}</span>}
      <Popover className="popover" offset={4}>
        <ListBox className="listbox" items={options.map((option) => ({ ...option, id: option.value }))}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} isDisabled={option.isDisabled} className="listbox-item">
              {option.icon}
              <span className="listbox-text">
                <span>{option.label}</span>
                {option.description && <span className="listbox-description">{option.description}</span>}
              </span>
              <Check aria-hidden className="listbox-check" />
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

export function Checkbox({ children, hideLabel, className, ...rest }: Omit<CheckboxProps, "children" | "className"> & { children?: ReactNode; hideLabel?: boolean; className?: string }): ReactNode {
  return (
    <AriaCheckbox {...rest} className={`checkbox${className ? ` ${className}` : ""}`}>
      {({ isIndeterminate }) => (
        <>
          <span className="checkbox-box" aria-hidden>
            {isIndeterminate ? <Minus /> : <Check />}
          </span>
          <span className={hideLabel ? "visually-hidden" : undefined}>{children}</span>
        </>
      )}
    </AriaCheckbox>
  );
}

/** A checkbox of a row in a long list: the browser's own, with the look of `Checkbox`, because that one takes longer to render. `label` is its hidden name. */
export function PlainCheckbox({ label, isSelected, onChange }: { label: string; isSelected: boolean; onChange: (isSelected: boolean) => void }): ReactNode {
  return (
    <label className="checkbox" data-selected={isSelected || undefined}>
      <input type="checkbox" className="visually-hidden" checked={isSelected} onChange={(event) => onChange(event.target.checked)} />
      <span className="checkbox-box" aria-hidden>
        {isSelected && <Check />}
      </span>
      <span className="visually-hidden">{label}</span>
    </label>
  );
}

/** A setting that is on or off at once. */
export function Switch({ label, description, className, ...rest }: Omit<SwitchProps, "children" | "className"> & { label: string; description?: ReactNode; className?: string }): ReactNode {
  return (
    <AriaSwitch {...rest} className={`switch${className ? ` ${className}` : ""}`}>
      <span className="switch-text">
        <span className="field-label">{label}</span>
        {description && <span className="field-description">{description}</span>}
      </span>
      <span className="switch-track" aria-hidden>
        <span className="switch-thumb" />
      </span>
    </AriaSwitch>
  );
}

export interface RadioGroupProps<Value extends string> extends Common {
  value: Value;
  onChange: (value: Value) => void;
  options: readonly Option<Value>[];
  /** `segments`: a compact row of choices. */
  look?: "list" | "segments";
}

export function RadioGroup<Value extends string>({ label, hideLabel, description, error, className, options, onChange, look = "list", ...rest }: RadioGroupProps<Value>): ReactNode {
  return (
    <AriaRadioGroup {...rest} {...validation(error)} onChange={(value) => onChange(value as Value)} orientation={look === "segments" ? "horizontal" : "vertical"} className={fieldClass(className)}>
      <Label className={labelClass(hideLabel)}>{label}</Label>
      <div className={look === "segments" ? "segments" : "radios"}>
        {options.map((option) => (
          <Radio key={option.value} value={option.value} isDisabled={option.isDisabled} className={look === "segments" ? "segment" : "radio"}>
            {look === "list" && <span className="radio-dot" aria-hidden />}
            {option.icon}
            <span>
              {option.label}
              {look === "list" && option.description && <span className="field-description">{option.description}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <Hints description={description} />
      {error && <span className="field-error">{error}</span>}
    </AriaRadioGroup>
  );
}
