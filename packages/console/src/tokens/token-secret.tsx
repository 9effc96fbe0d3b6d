import { type Example, SecretDialog } from "../ui/secret-dialog.tsx";
import type { TokenType } from "./token-types.ts";

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
    <SecretDialog
      title={`Your new token ${name}`}
      what="token"
      secret={secret}
      examples={describeUse(type, { secret, address })}
      onClose={onClose}
    />
  );
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
