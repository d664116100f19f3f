import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover, type Selection } from "react-aria-components";
import type { Option } from "./fields.tsx";

export interface MultiSelectProps<Value extends string> {
  /** What is chosen, for example "Status". */
  label: string;
  options: readonly Option<Value>[];
  values: readonly Value[];
  onChange: (values: Value[]) => void;
}

/** A compact filter with several values. Without values, nothing is filtered. */
export function MultiSelect<Value extends string>({ label, options, values, onChange }: MultiSelectProps<Value>): ReactNode {
  const change = (keys: Selection): void => onChange(options.map(({ value }) => value).filter((value) => keys === "all" || keys.has(value)));
  const chosen = options.filter(({ value }) => values.includes(value));
  return (
    <MenuTrigger>
      <Button className={`button button-secondary button-s filter-button${chosen.length > 0 ? " filter-on" : ""}`}>
        <span>
          {label}
          {chosen.length > 0 && <span className="filter-values">{chosen.length <= 2 ? chosen.map((one) => one.label).join(", ") : `${chosen[0]!.label} +${chosen.length - 1}`}</span>}
        </span>
        <ChevronDown aria-hidden className="select-arrow" />
      </Button>
      <Popover className="popover popover-menu" offset={4} placement="bottom start">
        <Menu aria-label={label} className="listbox" selectionMode="multiple" selectedKeys={values} onSelectionChange={change}>
          {options.map((option) => (
            <MenuItem key={option.value} id={option.value} textValue={option.label} className="listbox-item">
              <span className="checkbox-box" aria-hidden>
                <Check />
              </span>
              {option.icon}
              <span className="listbox-text">{option.label}</span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
