import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { describeUse } from "./describe-use.ts";
import type { TokenType } from "./token-types.ts";
import "./token-secret.css";

interface TokenSecretProps {
  readonly name: string;
  readonly type: TokenType;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows the secret of a new token, which the service cannot show again, and how to use it. */
export function TokenSecret({ name, type, secret, onClose }: TokenSecretProps) {
  const address = new URL(".", document.baseURI).href.replace(/\/$/, "");
  return (
    <Dialog title={`Your new token ${name}`} onClose={onClose} size="wide">
      <div className="dialog-content">
        <Banner kind="warning">
          Copy the token now. It is shown only this once, because the service keeps no readable
          copy.
        </Banner>
        <CodeLine label="the token" text={secret} />
        {describeUse(type, { secret, address }).map(({ title, code }) => (
          <div key={title} className="stack-tight">
            <p>{title}</p>
            <CodeLine label={`the example: ${title}`} text={code} />
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

function CodeLine({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="code-line">
      <code>{text}</code>
      <CopyButton label={`Copy ${label}`} text={text} />
    </div>
  );
}
