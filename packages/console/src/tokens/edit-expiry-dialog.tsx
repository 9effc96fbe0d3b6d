import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Token } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { fromExpiry, toExpiry } from "./expiry.ts";
import { ExpiryFields } from "./expiry-fields.tsx";

interface EditExpiryDialogProps {
  readonly token: Token;
  readonly onClose: () => void;
}

/** Changes when a token expires. Its secret stays the same. */
export function EditExpiryDialog({ token, onClose }: EditExpiryDialogProps) {
  const { id, tokenName, expiresAt } = token;
  const [expiry, setExpiry] = useState(() => fromExpiry(expiresAt));
  const write = (time: string | null): Promise<unknown> =>
    request(adminPath`/api-tokens/${id}`, { method: "PUT", body: { expiresAt: time } });
  const saving = useChange({
    run: () => write(toExpiry(expiry, new Date())),
    invalidates: [["tokens"]],
    success: () => `Changed when ${tokenName} expires`,
    undo: () => write(expiresAt),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`When ${tokenName} expires`}
      submit="Save"
      onClose={onClose}
      isPending={saving.isPending}
      error={saving.error}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
    >
      <p>The token itself stays the same, so nothing that uses it has to change.</p>
      <ExpiryFields value={expiry} onChange={setExpiry} />
    </FormDialog>
  );
}
