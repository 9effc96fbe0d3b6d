import type { RootRole } from "../api/types.ts";
import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { toRoleChoices } from "./user-names.ts";

/** What can be edited of an account. */
export interface UserDraft {
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly rootRole: number;
}

interface UserFieldsProps {
  readonly draft: UserDraft;
  readonly onChange: (draft: UserDraft) => void;
  readonly roles: readonly RootRole[];
  /** Whether the names come from an OpenID provider, so that only the role can be edited. @default false */
  readonly hasFixedNames?: boolean;
}

/** Fields for an account. */
export function UserFields({ draft, onChange, roles, hasFixedNames = false }: UserFieldsProps) {
  const { username, email, name, rootRole } = draft;
  const role = roles.find(({ id }) => id === rootRole);
  return (
    <>
      {hasFixedNames ? (
        <p>The names of this user come from the OpenID provider.</p>
      ) : (
        <>
          <TextField
            label="User name"
            name="username"
            value={username}
            onChange={(text) => onChange({ ...draft, username: text })}
            autoComplete="off"
            autoFocus
            maxLength={100}
            description="People sign in with it or with their email address: enter at least one of them."
            validate={(text) =>
              text.trim() === "" && email.trim() === ""
                ? "Enter a user name or an email address."
                : undefined
            }
          />
          <TextField
            label="Email address"
            name="email"
            value={email}
            onChange={(text) => onChange({ ...draft, email: text })}
            autoComplete="off"
            maxLength={254}
          />
          <TextField
            label="Name (optional)"
            name="name"
            value={name}
            onChange={(text) => onChange({ ...draft, name: text })}
            autoComplete="off"
            maxLength={100}
          />
        </>
      )}
      <Select
        label="Role"
        choices={toRoleChoices(roles)}
        value={String(rootRole)}
        onChange={(id) => onChange({ ...draft, rootRole: Number(id) })}
        {...(role !== undefined && { description: `${role.description}.` })}
      />
    </>
  );
}
