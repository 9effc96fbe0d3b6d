import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { PersonalToken } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { useChange } from "../changes/use-change.ts";
import { type Expiry, toExpiry } from "../tokens/expiry.ts";
import { ExpiryFields } from "../tokens/expiry-fields.tsx";
import { ExpiryTime } from "../tokens/token-table.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { Time } from "../ui/time.tsx";

/** The tokens with which scripts do what the user may do. */
export function PersonalTokens() {
  const tokens = useQuery(queries.personalTokens());
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<PersonalToken>();
  const actions: Column<PersonalToken> = menuColumn(
    ({ description }) => description,
    (token) => [{ label: "Delete", isDangerous: true, run: () => setDeleted(token) }],
  );
  return (
    <section className="profile-section" aria-labelledby="personal-tokens-heading">
      <h2 id="personal-tokens-heading">Personal tokens</h2>
      <p className="muted">
        With a personal token, a script may do what you may do, and events name you. For
        applications, use API tokens instead.
      </p>
      <Loaded query={tokens}>
        {(all) =>
          all.length === 0 ? (
            <p className="muted">You have no personal tokens.</p>
          ) : (
            <DataTable
              label="Personal tokens"
              rows={all}
              keyOf={({ id }) => id}
              columns={[...COLUMNS, actions]}
            />
          )
        }
      </Loaded>
      <div>
        <Button onPress={() => setCreating(true)}>New personal token</Button>
      </div>
      {isCreating ? <CreatePersonalTokenDialog onClose={() => setCreating(false)} /> : null}
      {deleted === undefined ? null : (
        <DeleteDialog
          subject={`the personal token ${deleted.description}`}
          path={adminPath`/user/tokens/${deleted.id}`}
          invalidates={[["personal-tokens"]]}
          onClose={() => setDeleted(undefined)}
        >
          <p>Scripts that use it get an error at once. It cannot be restored.</p>
        </DeleteDialog>
      )}
    </section>
  );
}

const COLUMNS: readonly Column<PersonalToken>[] = [
  {
    id: "description",
    header: "Description",
    isRowHeader: true,
    cell: ({ description }) => description,
  },
  {
    id: "seen",
    header: "Last used",
    width: "9rem",
    cell: ({ seenAt }) =>
      seenAt === null ? <span className="muted">never</span> : <Time value={seenAt} />,
  },
  {
    id: "created",
    header: "Created",
    width: "9rem",
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    id: "expires",
    header: "Expires",
    width: "10rem",
    cell: ({ expiresAt }) => <ExpiryTime expiresAt={expiresAt} />,
  },
];

function CreatePersonalTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const [description, setDescription] = useState("");
  const [expiry, setExpiry] = useState<Expiry>({ choice: "30", localTime: "" });
  // NOTE: only here, in no cache and in no storage, so that it is gone when the dialog closes.
  const [secret, setSecret] = useState<string>();
  const creation = useChange({
    run: async () => {
      const created = await request<{ readonly secret: string }>(adminPath`/user/tokens`, {
        method: "POST",
        body: { description: description.trim(), expiresAt: toExpiry(expiry, new Date()) },
      });
      setSecret(created.secret);
    },
    invalidates: [["personal-tokens"]],
    showsErrors: true,
  });
  if (secret !== undefined) {
    const address = new URL("api/admin/projects", document.baseURI).href;
    return (
      <SecretDialog
        title={`Your new personal token ${description.trim()}`}
        what="token"
        secret={secret}
        examples={[
          {
            title: "Scripts send it in a header:",
            code: `curl ${address} -H "Authorization: ${secret}"`,
          },
        ]}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="New personal token"
      submit="Create token"
      draft={[description, expiry]}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate()}
    >
      <TextField
        label="Description"
        name="description"
        value={description}
        onChange={setDescription}
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={255}
        description="What will use it, for example the name of the script."
      />
      <ExpiryFields value={expiry} onChange={setExpiry} isRequired />
    </FormDialog>
  );
}
