import { Switch as AriaSwitch } from "react-aria-components/Switch";
import "./switch.css";

interface SwitchProps {
  /** Shown next to the switch, or only read by screen readers if `hidesLabel` is set. */
  readonly label: string;
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  readonly isDisabled?: boolean;
  /** @default false */
  readonly hidesLabel?: boolean;
}

export function Switch({ label, hidesLabel = false, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className="switch" {...(hidesLabel && { "aria-label": label })}>
      <span className="switch-track" aria-hidden>
        <span className="switch-thumb" />
      </span>
      {hidesLabel ? null : <span>{label}</span>}
    </AriaSwitch>
  );
}
