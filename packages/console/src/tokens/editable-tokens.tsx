import { useState } from "react";
import type { Token } from "../api/types.ts";
import { DeleteTokenDialog } from "./delete-token-dialog.tsx";
import { EditExpiryDialog } from "./edit-expiry-dialog.tsx";
import { TokenTable } from "./token-table.tsx";

interface Action {
  readonly kind: "delete" | "expiry";
  readonly token: Token;
}

interface EditableTokensProps {
  readonly tokens: readonly Token[];
  readonly isAdmin: boolean;
}

/** Tokens, which administrators can change and delete. */
export function EditableTokens({ tokens, isAdmin }: EditableTokensProps) {
  const [action, setAction] = useState<Action>();
  const onClose = (): void => setAction(undefined);
  return (
    <>
      <TokenTable
        tokens={tokens}
        actions={(token) =>
          isAdmin
            ? [
                { label: "Change the expiry", run: () => setAction({ kind: "expiry", token }) },
                {
                  label: "Delete",
                  isDangerous: true,
                  run: () => setAction({ kind: "delete", token }),
                },
              ]
            : []
        }
      />
      {action?.kind === "expiry" ? (
        <EditExpiryDialog token={action.token} onClose={onClose} />
      ) : null}
      {action?.kind === "delete" ? (
        <DeleteTokenDialog token={action.token} onClose={onClose} />
      ) : null}
    </>
  );
}
