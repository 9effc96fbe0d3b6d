import { adminPath, request } from "../api/request.ts";
import type { Token } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Time } from "../ui/time.tsx";
import { describeTokenType } from "./token-types.ts";

interface DeleteTokenDialogProps {
  readonly token: Token;
  readonly onClose: () => void;
}

/** Revokes a token, on all replicas at once. */
export function DeleteTokenDialog({ token, onClose }: DeleteTokenDialogProps) {
  const { id, tokenName, type, seenAt } = token;
  const deletion = useChange({
    run: () => request(adminPath`/api-tokens/${id}`, { method: "DELETE" }),
    outdates: [["tokens"], ["environments"]],
    success: () => `Deleted the token ${tokenName}`,
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Delete the token ${tokenName}?`}
      submit="Delete"
      isPending={deletion.isPending}
      error={deletion.error}
      onClose={onClose}
      onConfirm={() => deletion.mutate(undefined, { onSuccess: onClose })}
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
    </ConfirmDialog>
  );
}
