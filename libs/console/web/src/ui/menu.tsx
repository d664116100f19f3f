import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Header, Menu as AriaMenu, MenuItem as AriaMenuItem, MenuSection, MenuTrigger, Popover, Separator } from "react-aria-components";

export interface MenuEntry {
  id: string;
  label: string;
  icon?: ReactNode;
  isDisabled?: boolean;
  tone?: "danger";
  /** Shows a check mark. */
  isSelected?: boolean;
  onAction: () => void;
}

/** Entries, sections with a title, and separators. */
export type MenuPart = MenuEntry | { id: string; title: string; entries: MenuEntry[] } | { id: string; separator: true };

/** `trigger` is a Button or an IconButton. */
export function Menu({ trigger, label, parts, header, placement = "bottom end" }: { trigger: ReactNode; label: string; parts: MenuPart[]; header?: ReactNode; placement?: "bottom end" | "bottom start" | "top start" | "top end" }): ReactNode {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover popover-menu" offset={4} placement={placement}>
        {header}
        <AriaMenu aria-label={label} className="listbox">
          {parts.map((part) =>
            "separator" in part ? (
              <Separator key={part.id} className="menu-separator" />
            ) : "entries" in part ? (
              <MenuSection key={part.id} id={part.id}>
                <Header className="menu-header">{part.title}</Header>
                {part.entries.map(entryOf)}
              </MenuSection>
            ) : (
              entryOf(part)
            ),
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

function entryOf({ id, label, icon, isDisabled, tone, isSelected, onAction }: MenuEntry): ReactNode {
  return (
    <AriaMenuItem key={id} id={id} textValue={label} isDisabled={isDisabled ?? false} onAction={onAction} className={`listbox-item${tone === "danger" ? " listbox-danger" : ""}`}>
      {icon}
      <span className="listbox-text">{label}</span>
      {isSelected && <Check aria-hidden className="listbox-check listbox-checked" />}
    </AriaMenuItem>
  );
}
