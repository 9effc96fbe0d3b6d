import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Code } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { AppAccess, Flag } from "../api/types.ts";
import { readSdk, rememberSdk } from "../app/remembered-choices.ts";
import { fieldsOfFlag } from "../playground/context.ts";
import { Button } from "../ui/button.tsx";
import { CodeLine } from "../ui/code-line.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Select } from "../ui/select.tsx";
import { joinWithAnd, sortDistinct } from "../ui/words.ts";
import { isSdkId, type SdkId, SDKS } from "./sdks.ts";

/** A button that shows how programs use a flag. */
export function UseInCode({ flag }: { readonly flag: Flag }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Code aria-hidden /> Use in code
      </Button>
      {isOpen ? <CodeDialog flag={flag} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const CHOICES = Object.entries(SDKS).map(([id, { label, kind }]) => ({ id, label, group: kind }));

/** The code sets it, or SDKs do. */
const KNOWN: readonly string[] = ["userId", "sessionId", "currentTime"];

interface CodeDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

function CodeDialog({ flag, onClose }: CodeDialogProps) {
  const [id, setId] = useState<SdkId>(rememberedSdk);
  const { data: segments = [] } = useQuery(queries.segments());
  const fields = fieldsOfFlag(flag, segments).filter((name) => !KNOWN.includes(name));
  const { data: access = {} } = useQuery(queries.appAccess());
  const { kind, install, write } = SDKS[id];
  return (
    <Dialog title={`Use ${flag.name} in your code`} onClose={onClose} size="wide">
      <div className="dialog-content">
        <Select
          label="Language or framework"
          choices={CHOICES}
          value={id}
          onChange={(chosen) => {
            if (!isSdkId(chosen)) return;
            rememberSdk(chosen);
            setId(chosen);
          }}
        />
        <CodeLine label="how to install it" text={install} />
        <CodeLine
          label="the code"
          text={write({ flag: flag.name, variants: variantsOf(flag), ...addresses(access) })}
        />
        <p className="code-note">
          {kind === "Backends" ? (
            <>
              Replace YOUR-BACKEND-TOKEN with a backend token from{" "}
              <TokensLink>Administration → API tokens</TokensLink>. It is secret, and determines the
              environment.
            </>
          ) : (
            <>
              Front ends read flags from the proxy.
              {access.frontendUrl === undefined
                ? " Replace the address with that of your proxy."
                : null}
              {access.frontendKey === undefined ? (
                <>
                  {" "}
                  Replace YOUR-CLIENT-KEY with one of its client keys, or with a{" "}
                  <TokensLink>frontend token</TokensLink> if it accepts those.
                </>
              ) : null}
            </>
          )}{" "}
          Replace 7 with the id of the user.
          {fields.length === 0
            ? null
            : ` The rules of this flag also read ${joinWithAnd(fields)}: add what your program knows to the context.`}
        </p>
      </div>
      <footer className="dialog-footer">
        <Button variant="primary" onPress={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

function TokensLink({ children }: { readonly children: string }) {
  return <Link to="/tokens">{children}</Link>;
}

function rememberedSdk(): SdkId {
  const id = readSdk() ?? "";
  return isSdkId(id) ? id : "javascript";
}

/** The variants that contexts can get in any environment. */
function variantsOf({ environments }: Flag): readonly string[] {
  return sortDistinct(
    environments.flatMap(({ variants, strategies }) =>
      [...variants, ...strategies.flatMap((strategy) => strategy.variants)].map(({ name }) => name),
    ),
  );
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** NOTE: next to a service on this computer, a proxy usually has its default address. */
function addresses({ frontendUrl, frontendKey = "YOUR-CLIENT-KEY" }: AppAccess) {
  const isLocal = LOOPBACK.test(window.location.hostname);
  const usual = isLocal ? "http://127.0.0.1:3000/proxy" : "https://proxy.example.com/proxy";
  return {
    backendUrl: new URL("api", document.baseURI).href,
    frontendUrl: frontendUrl ?? usual,
    backendToken: "YOUR-BACKEND-TOKEN",
    frontendToken: frontendKey,
  };
}
