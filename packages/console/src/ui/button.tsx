import type { ReactNode, Ref } from "react";
import { Button as AriaButton, type ButtonProps as AriaProps } from "react-aria-components/Button";
import { Tooltip, TooltipTrigger } from "react-aria-components/Tooltip";
import "./button.css";

interface ButtonProps extends Omit<AriaProps, "className" | "style" | "children"> {
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
  /** @default "normal" */
  readonly variant?: "primary" | "normal" | "quiet" | "danger";
  /** @default "normal" */
  readonly size?: "small" | "normal";
}

export function Button({ variant = "normal", size = "normal", ...props }: ButtonProps) {
  return <AriaButton {...props} className={`button button-${variant} button-size-${size}`} />;
}

interface IconButtonProps extends Omit<AriaProps, "className" | "style" | "children"> {
  /** What the button does, for a tooltip and for screen readers. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A button that shows only an icon. */
export function IconButton({ label, children, ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...props} aria-label={label} className="button button-quiet button-icon">
        {children}
      </AriaButton>
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}
