import type { Token } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import type { MenuEntry } from "../ui/menu.tsx";
import { menuColumn } from "../ui/row-menu.tsx";
import { Time } from "../ui/time.tsx";
import { expiryState } from "./expiry.ts";
import { describeTokenType } from "./token-types.ts";

interface TokenTableProps {
  readonly tokens: readonly Token[];
  /** What the user may do with a token. */
  readonly actions: (token: Token) => readonly MenuEntry[];
}

export function TokenTable({ tokens, actions }: TokenTableProps) {
  const menu: Column<Token> = menuColumn(
    (token) => token.tokenName,
    (token) => actions(token),
  );
  return (
    <DataTable
      label="API tokens"
      rows={tokens}
      keyOf={({ id }) => id}
      columns={[...COLUMNS, menu]}
    />
  );
}

const COLUMNS: readonly Column<Token>[] = [
  { id: "name", header: "Name", isRowHeader: true, cell: ({ tokenName }) => tokenName },
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
    width: "7.5rem",
    cell: ({ seenAt }) =>
      seenAt === null ? <span className="muted">never</span> : <Time value={seenAt} />,
  },
  {
    id: "created",
    header: "Created",
    width: "7.5rem",
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    id: "expires",
    header: "Expires",
    width: "8.5rem",
    cell: ({ expiresAt }) => <Expiry expiresAt={expiresAt} />,
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

function Expiry({ expiresAt }: Pick<Token, "expiresAt">) {
  if (expiresAt === null) return <span className="muted">never</span>;
  const state = expiryState(expiresAt, new Date());
  return (
    <span>
      {state === "expired" ? <Badge kind="bad">expired</Badge> : null}
      {state === "soon" ? <Badge kind="warning">soon</Badge> : null} <Time value={expiresAt} />
    </span>
  );
}
