import { adminPath } from "../api/request.ts";
import type { Token } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { Time } from "../ui/time.tsx";
import { describeTokenType } from "./token-types.ts";

interface DeleteTokenDialogProps {
  readonly token: Token;
  readonly onClose: () => void;
}

/** Revokes a token, on all replicas at once. */
export function DeleteTokenDialog({ token, onClose }: DeleteTokenDialogProps) {
  const { id, tokenName, type, seenAt } = token;
  return (
    <DeleteDialog
      subject={`the token ${tokenName}`}
      path={adminPath`/api-tokens/${id}`}
      invalidates={[["tokens"], ["environments"]]}
      onClose={onClose}
    >
      <p>It stops working at once and cannot be restored. {describeTokenType(type).loss}</p>
      <p>
        {seenAt === null ? (
          "It has never been used."
        ) : (
          <>
            It was last used <Time value={seenAt} />.
          </>
        )}
      </p>
    </DeleteDialog>
  );
}
