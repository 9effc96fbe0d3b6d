import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { USER_FIELDS } from "../app/list-fields.ts";
import { queries } from "../api/queries.ts";
import type { RootRole, User } from "../api/types.ts";
import { sessionQuery, useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeShown } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { FilterSelect } from "../ui/select.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { matchesWords, toWords } from "../ui/words.ts";
import { CreateUserDialog } from "./create-user-dialog.tsx";
import { InviteLinks } from "./invite-links.tsx";
import { toRoleChoices } from "./user-names.ts";
import { UserTable } from "./user-table.tsx";
import "./users.css";

/** The accounts of all people. */
export function UsersPage() {
  const isAdmin = useHasRole("admin");
  const listed = useQuery({ ...queries.users(), enabled: isAdmin });
  const [isCreating, setCreating] = useState(false);
  const roles = listed.data?.rootRoles;
  return (
    <Page
      title="Users"
      description="The people who sign in with an account, and their roles. Programs use API tokens instead."
      actions={
        roles === undefined ? undefined : (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New user
          </Button>
        )
      }
    >
      {isAdmin ? (
        <>
          <Loaded query={listed}>
            {({ users, rootRoles }) => <Accounts users={users} roles={rootRoles} />}
          </Loaded>
          <InviteLinks />
        </>
      ) : (
        <Empty title="Only admins can see the accounts of others" />
      )}
      {isCreating && roles !== undefined ? (
        <CreateUserDialog roles={roles} onClose={() => setCreating(false)} />
      ) : null}
    </Page>
  );
}

interface AccountsProps {
  readonly users: readonly User[];
  readonly roles: readonly RootRole[];
}

function Accounts({ users, roles }: AccountsProps) {
  const { data: session } = useQuery(sessionQuery);
  const [{ query, role }, changeList] = useListState(USER_FIELDS);
  const shown = useMemo(() => {
    const words = toWords(query);
    return users.filter(
      ({ rootRole, name, username, email }) =>
        (role === "" || String(rootRole) === role) && matchesWords(words, name, username, email),
    );
  }, [users, query, role]);
  if (users.length === 0) {
    return (
      <Empty title="There are no accounts yet">
        <p>Create one for everybody who uses this console, so that events name them.</p>
      </Empty>
    );
  }
  return (
    <>
      <div className="user-filters" role="search">
        <SearchField
          label="Search by name or email address"
          value={query}
          onChange={(text) => changeList({ query: text })}
        />
        <FilterSelect
          label="Role"
          hidesLabel
          all="All roles"
          choices={toRoleChoices(roles).map(({ id, label }) => ({ id, label }))}
          value={role}
          onChange={(id) => changeList({ role: id })}
        />
      </div>
      <p className="muted" role="status">
        {describeShown(shown.length, users.length, "user")}
      </p>
      {shown.length === 0 ? (
        <Empty title="No user matches">
          <Button onPress={() => changeList({ query: "", role: "" })}>Show all users</Button>
        </Empty>
      ) : (
        <UserTable users={shown} roles={roles} ownId={session?.user.id ?? null} />
      )}
    </>
  );
}
