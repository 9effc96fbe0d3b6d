import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Token } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { useHasRole } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { menuColumn } from "../ui/menu.tsx";
import type { Sort } from "../ui/sort.ts";
import { Time } from "../ui/time.tsx";
import { DeleteTokenDialog } from "./delete-token-dialog.tsx";
import { ExpiryFields } from "./expiry-fields.tsx";
import { expiryState, fromExpiry, toExpiry } from "./expiry.ts";
import { describeTokenType } from "./token-types.ts";

interface Action {
  readonly kind: "delete" | "expiry";
  readonly token: Token;
}

interface TokenTableProps {
  readonly tokens: readonly Token[];
  /** Whether the user can delete them, and change when they expire. */
  readonly canChange: boolean;
  /** The only project whose tokens are listed. Its owners can delete those that are for no other one. */
  readonly project?: string;
  /** The order. Without it, the headings do not sort. */
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
}

/** Tokens, which administrators can change and delete. */
export function TokenTable({ tokens, canChange, project, ...order }: TokenTableProps) {
  const isAdmin = useHasRole("admin");
  const [action, setAction] = useState<Action>();
  const onClose = (): void => setAction(undefined);
  const actions: Column<Token> = menuColumn(
    ({ tokenName }) => tokenName,
    (token) => [
      ...(isAdmin
        ? [{ label: "Change the expiry", run: () => setAction({ kind: "expiry", token }) }]
        : []),
      ...(isAdmin || (canChange && token.projects.length === 1)
        ? [
            {
              label: "Delete",
              isDangerous: true,
              run: () => setAction({ kind: "delete", token }),
            },
          ]
        : []),
    ],
  );
  return (
    <>
      <DataTable
        label="API tokens"
        rows={tokens}
        keyOf={({ id }) => id}
        columns={[...COLUMNS, actions]}
        {...order}
      />
      {action?.kind === "expiry" ? (
        <EditExpiryDialog token={action.token} onClose={onClose} />
      ) : null}
      {action?.kind === "delete" ? (
        <DeleteTokenDialog
          token={action.token}
          {...(!isAdmin && project !== undefined && { project })}
          onClose={onClose}
        />
      ) : null}
    </>
  );
}

const COLUMNS: readonly Column<Token>[] = [
  {
    id: "name",
    header: "Name",
    isRowHeader: true,
    sortBy: ({ tokenName }) => tokenName.toLowerCase(),
    cell: ({ tokenName }) => tokenName,
  },
  {
    id: "type",
    header: "Type",
    width: "7.75rem",
    cell: ({ type }) => <Badge>{describeTokenType(type).name}</Badge>,
  },
  {
    id: "scope",
    header: "For",
    width: "21%",
    cell: (token) => <TokenScope token={token} />,
  },
  {
    id: "seen",
    header: "Last used",
    width: "clamp(7.5rem, 12.5vw, 10rem)",
    sortBy: ({ seenAt }) => seenAt,
    startsDescending: true,
    cell: ({ seenAt }) =>
      seenAt === null ? <span className="muted">never</span> : <Time value={seenAt} />,
  },
  {
    id: "created",
    header: "Created",
    width: "clamp(7.5rem, 12.5vw, 10rem)",
    sortBy: ({ createdAt }) => createdAt,
    startsDescending: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    id: "expires",
    header: "Expires",
    width: "8.5rem",
    // Those that never expire come after all others.
    sortBy: ({ expiresAt }) => expiresAt ?? "never",
    cell: ({ expiresAt }) => <ExpiryTime expiresAt={expiresAt} />,
  },
];

function TokenScope({ token: { type, environment, projects } }: { readonly token: Token }) {
  if (!describeTokenType(type).isForSdks) return <span className="muted">the console and API</span>;
  return (
    <span>
      {environment}
      <p className="data-detail">{projects.includes("*") ? "all projects" : projects.join(", ")}</p>
    </span>
  );
}

interface ExpiryTimeProps {
  /** ISO 8601; null for never. */
  readonly expiresAt: string | null;
}

/** When a token expires, and whether that is soon. */
export function ExpiryTime({ expiresAt }: ExpiryTimeProps) {
  if (expiresAt === null) return <span className="muted">never</span>;
  const state = expiryState(expiresAt, new Date());
  return (
    <span>
      {state === "expired" ? <Badge kind="bad">expired</Badge> : null}
      {state === "soon" ? <Badge kind="warning">soon</Badge> : null} <Time value={expiresAt} />
    </span>
  );
}

interface EditExpiryDialogProps {
  readonly token: Token;
  readonly onClose: () => void;
}

/** Changes when a token expires. Its secret stays the same. */
function EditExpiryDialog({ token, onClose }: EditExpiryDialogProps) {
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
      draft={expiry}
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
