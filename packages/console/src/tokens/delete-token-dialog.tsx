import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath } from "../api/request.ts";
import type { Token } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { sessionQuery } from "../session/session.ts";
import { Banner } from "../ui/banner.tsx";
import { Time } from "../ui/time.tsx";
import { expiryState } from "./expiry.ts";
import { describeTokenType } from "./token-types.ts";

interface DeleteTokenDialogProps {
  readonly token: Token;
  /** The project whose owner deletes the token. @default an admin does */
  readonly project?: string;
  readonly onClose: () => void;
}

/** Revokes a token, on all replicas at once. */
export function DeleteTokenDialog({ token, project, onClose }: DeleteTokenDialogProps) {
  const { id, tokenName, type, seenAt } = token;
  const { data: session } = useQuery(sessionQuery);
  const { data: tokens } = useQuery({ ...queries.tokens(), enabled: type === "admin" });
  const isOwn = session?.user.tokenId === id;
  return (
    <DeleteDialog
      subject={`the token ${tokenName}`}
      path={
        project === undefined
          ? adminPath`/api-tokens/${id}`
          : adminPath`/projects/${project}/api-tokens/${id}`
      }
      invalidates={[["tokens"], ["environments"]]}
      onClose={onClose}
    >
      {isOwn ? (
        <Banner kind="warning">
          You are signed in with this token. Deleting it signs you out at once.
        </Banner>
      ) : null}
      {tokens !== undefined && isOnlyAdminToken(token, tokens) ? (
        <Banner kind="warning">
          This is the only admin token. Create another one first if administrators sign in with
          tokens.
        </Banner>
      ) : null}
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

/** Whether no other token with the role admin is valid. */
function isOnlyAdminToken({ id, type }: Token, tokens: readonly Token[]): boolean {
  const now = new Date();
  return (
    type === "admin" &&
    !tokens.some(
      (other) =>
        other.id !== id &&
        other.type === "admin" &&
        expiryState(other.expiresAt, now) !== "expired",
    )
  );
}
