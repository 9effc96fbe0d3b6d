import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { InviteLink } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { Select } from "../ui/select.tsx";
import { Time } from "../ui/time.tsx";
import { joinWithAnd } from "../ui/words.ts";
import { nameOfUser } from "./user-names.ts";

/** The links with which several people create accounts of viewers. */
export function InviteLinks() {
  const links = useQuery(queries.inviteLinks());
  const [isCreating, setCreating] = useState(false);
  return (
    <section className="invite-links" aria-labelledby="invite-links-heading">
      <h2 id="invite-links-heading">Invite links</h2>
      <p className="muted">
        With an invite link, several people create accounts themselves, as viewers. Disable it when
        it is no longer needed.
      </p>
      <Loaded query={links}>
        {(all) =>
          all.length === 0 ? (
            <p className="muted">There are no invite links.</p>
          ) : (
            <LinkTable links={all} />
          )
        }
      </Loaded>
      <div>
        <Button onPress={() => setCreating(true)}>New invite link</Button>
      </div>
      {isCreating ? <CreateInviteLinkDialog onClose={() => setCreating(false)} /> : null}
    </section>
  );
}

function LinkTable({ links }: { readonly links: readonly InviteLink[] }) {
  const change = useChange<{ readonly link: InviteLink; readonly enabled: boolean }>({
    run: ({ link, enabled }) => setEnabled(link, enabled),
    invalidates: [["invite-links"]],
    success: ({ link, enabled }) => `${enabled ? "Enabled" : "Disabled"} ${link.name}`,
    undo: ({ link, enabled }) => setEnabled(link, !enabled),
  });
  const actions: Column<InviteLink> = menuColumn(
    ({ name }) => name,
    (link) =>
      isExpired(link)
        ? []
        : [
            {
              label: link.enabled ? "Disable" : "Enable",
              run: () => change.mutate({ link, enabled: !link.enabled }),
            },
          ],
  );
  return (
    <DataTable
      label="Invite links"
      rows={links}
      keyOf={({ secret }) => secret}
      columns={[...COLUMNS, actions]}
    />
  );
}

function setEnabled({ secret }: InviteLink, enabled: boolean): Promise<unknown> {
  return request(adminPath`/invite-link/tokens/${secret}`, { method: "PUT", body: { enabled } });
}

function isExpired({ expiresAt }: InviteLink): boolean {
  return new Date(expiresAt) <= new Date();
}

const COLUMNS: readonly Column<InviteLink>[] = [
  {
    id: "name",
    header: "Name",
    isRowHeader: true,
    cell: ({ name, createdBy }) => (
      <span>
        {name}
        <p className="data-detail user-names">by {createdBy}</p>
      </span>
    ),
  },
  {
    id: "state",
    header: "State",
    width: "7rem",
    cell: (link) =>
      isExpired(link) ? (
        <Badge>expired</Badge>
      ) : link.enabled ? (
        <Badge kind="good">open</Badge>
      ) : (
        <Badge kind="bad">disabled</Badge>
      ),
  },
  {
    id: "users",
    header: "Used by",
    width: "30%",
    cell: ({ users }) =>
      users.length === 0 ? (
        <span className="muted">nobody yet</span>
      ) : (
        <span className="user-names">{joinWithAnd(users.map(nameOfUser))}</span>
      ),
  },
  {
    id: "expires",
    header: "Expires",
    width: "9rem",
    cell: ({ expiresAt }) => <Time value={expiresAt} />,
  },
];

const DAY_MS = 86_400_000;

const DURATIONS = [
  { id: "1", label: "A day" },
  { id: "7", label: "A week" },
  { id: "31", label: "A month" },
] as const;

type Days = (typeof DURATIONS)[number]["id"];

function CreateInviteLinkDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [days, setDays] = useState<Days>("7");
  // NOTE: only here, in no cache and in no storage, so that it is gone when the dialog closes.
  const [link, setLink] = useState<string>();
  const creation = useChange({
    run: async () => {
      const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
      const { url } = await request<{ readonly url: string }>(adminPath`/invite-link/tokens`, {
        method: "POST",
        body: { name: name.trim(), expiresAt },
      });
      setLink(url);
    },
    invalidates: [["invite-links"]],
    showsErrors: true,
  });
  if (link !== undefined) {
    return (
      <SecretDialog
        title={`Your new invite link ${name.trim()}`}
        what="link"
        secret={link}
        onClose={onClose}
      >
        <p>Everybody who has this link can create an account of a viewer until it expires.</p>
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="New invite link"
      submit="Create link"
      draft={[name, days]}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate()}
    >
      <TextField
        label="Name"
        name="name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={100}
        description="Who gets it, for example the name of a team."
      />
      <Select label="Works for" choices={DURATIONS} value={days} onChange={setDays} />
    </FormDialog>
  );
}
