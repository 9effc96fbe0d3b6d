import { CopyButton } from "./copy-button.tsx";
import "./code-line.css";

interface CodeLineProps {
  /** What the text is, as in "Copy the token". */
  readonly label: string;
  readonly text: string;
}

/** Code or a secret that can be copied. */
export function CodeLine({ label, text }: CodeLineProps) {
  return (
    <div className="code-line">
      <code>{text}</code>
      <CopyButton label={`Copy ${label}`} text={text} />
    </div>
  );
}
