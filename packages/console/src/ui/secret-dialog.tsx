import type { ReactNode } from "react";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { CodeLine } from "./code-line.tsx";
import { Dialog } from "./dialog.tsx";

/** How a secret is used. */
export interface Example {
  readonly title: string;
  readonly code: string;
}

interface SecretDialogProps {
  readonly title: string;
  /** What the secret is, for example "token" or "link". */
  readonly what: string;
  readonly secret: string;
  /** @default none */
  readonly examples?: readonly Example[];
  readonly onClose: () => void;
  /** What the secret is for. */
  readonly children?: ReactNode;
}

/** Shows a secret, which the service cannot show again. */
export function SecretDialog({
  title,
  what,
  secret,
  examples = [],
  onClose,
  children,
}: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} size="wide">
      <div className="dialog-content">
        {children}
        <Banner kind="warning">
          Copy the {what} now. It is shown only this once, because the service keeps no readable
          copy.
        </Banner>
        <CodeLine label={`the ${what}`} text={secret} />
        {examples.map((example) => (
          <div key={example.title} className="stack-tight">
            <p>{example.title}</p>
            <CodeLine label={`the example: ${example.title}`} text={example.code} />
          </div>
        ))}
      </div>
      <footer className="dialog-footer">
        <Button variant="primary" onPress={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
