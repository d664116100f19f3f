import type { ReactNode } from "react";
import { Button as AriaButton, Tooltip, TooltipTrigger, type ButtonProps as AriaButtonProps } from "react-aria-components";
import { Link, type LinkProps } from "../router/index.tsx";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";

export interface ButtonProps extends Omit<AriaButtonProps, "children" | "className" | "style" | "isPending"> {
  /** Whether the action runs. The button keeps the focus, shows a spinner, and ignores presses. */
  isPending?: boolean;
  variant?: ButtonVariant;
  size?: "s" | "m";
  icon?: ReactNode;
  className?: string;
  children?: ReactNode;
}

const classOf = (variant: ButtonVariant, size: "s" | "m", more?: string): string => `button button-${variant} button-${size}${more ? ` ${more}` : ""}`;

export function Button({ variant = "secondary", size = "m", icon, className, children, isPending = false, ...rest }: ButtonProps): ReactNode {
  // The library's own state of a pending button leaves images without a name in its live region.
  const pending = isPending ? ({ onPress: undefined, type: "button", "aria-disabled": true } as const) : {};
  return (
    <AriaButton {...rest} {...pending} className={classOf(variant, size, className)}>
      {isPending ? <span className="spinner spinner-s" aria-hidden /> : icon}
      {children !== undefined && <span>{children}</span>}
    </AriaButton>
  );
}

/** A button that shows only an icon. The label is its name and its tooltip. */
export function IconButton({ label, icon, className, ...rest }: Omit<ButtonProps, "children"> & { label: string; icon: ReactNode }): ReactNode {
  return (
    <TooltipTrigger delay={500}>
      <Button variant="ghost" {...rest} aria-label={label} icon={icon} className={`button-icon${className ? ` ${className}` : ""}`} />
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

/** A link that looks like a button. */
export function LinkButton({ variant = "secondary", size = "m", icon, children, className, ...rest }: LinkProps & Pick<ButtonProps, "variant" | "size" | "icon">): ReactNode {
  return (
    <Link {...rest} className={classOf(variant, size, className)}>
      {icon}
      <span>{children}</span>
    </Link>
  );
}
