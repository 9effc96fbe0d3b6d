import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { TokenType } from "./token-types.ts";
import "./tokens.css";

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

interface Example {
  readonly title: string;
  readonly code: string;
}

interface NewToken {
  readonly secret: string;
  /** Address of the service, without a slash at the end. */
  readonly address: string;
}

/** Examples of how a new token is used. */
function describeUse(type: TokenType, { secret, address }: NewToken): readonly Example[] {
  switch (type) {
    case "backend":
      return [
        {
          title: "Settings of flags-proxy:",
          code: `FLAGS_URL=${address}/api\nFLAGS_API_TOKEN=${secret}`,
        },
        {
          title: "A Node server:",
          code: `initialize({ url: "${address}/api", appName: "my-app", customHeaders: { Authorization: "${secret}" } })`,
        },
      ];
    case "frontend":
      return [
        {
          title: "A browser, through a flags-proxy that runs with FLAGS_UPSTREAM_KEYS=true:",
          code: `new UnleashClient({ url: "https://proxy.example.com/api/frontend", clientKey: "${secret}", appName: "my-app" })`,
        },
      ];
    default:
      return [
        {
          title: "People sign in to this console with it. Scripts send it in a header:",
          code: `curl ${address}/api/admin/projects -H "Authorization: ${secret}"`,
        },
      ];
  }
}
