import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { cleanupQueries } from "../api/cleanup-queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { FlagLifetime } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { describeType } from "../flags/flag-types.ts";
import { useHasRole } from "../session/session.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { describeCount } from "../ui/numbers.ts";

/** For how long flags of each type should exist. */
export function Lifetimes() {
  const types = useQuery(cleanupQueries.lifetimes());
  const isAdmin = useHasRole("admin");
  const [edited, setEdited] = useState<FlagLifetime>();
  const actions: Column<FlagLifetime> = menuColumn(
    ({ id }) => describeType(id).name,
    (type) => [{ label: "Change the lifetime…", run: () => setEdited(type) }],
  );
  return (
    <div className="stack">
      <p className="muted">
        A flag is reported as stale only if it is older than flags of its type should get. Types
        without a limit are never reported.
      </p>
      <Loaded query={types}>
        {(all) => (
          <DataTable
            label="Lifetimes of types"
            rows={all}
            keyOf={({ id }) => id}
            columns={[...COLUMNS, ...(isAdmin ? [actions] : [])]}
          />
        )}
      </Loaded>
      {edited === undefined ? null : (
        <LifetimeDialog type={edited} onClose={() => setEdited(undefined)} />
      )}
    </div>
  );
}

const COLUMNS: readonly Column<FlagLifetime>[] = [
  {
    id: "type",
    header: "Type",
    isRowHeader: true,
    cell: ({ id }) => (
      <>
        {describeType(id).name}
        <p className="data-detail">{describeType(id).description}</p>
      </>
    ),
  },
  {
    id: "lifetime",
    header: "Lifetime",
    width: "10rem",
    cell: ({ lifetimeDays }) =>
      lifetimeDays === null ? "No limit" : describeCount(lifetimeDays, "day"),
  },
];

/** As many days as a limit makes sense for. */
const MAX_DAYS = 3650;
const DEFAULT_DAYS = 40;

interface LifetimeDialogProps {
  readonly type: FlagLifetime;
  readonly onClose: () => void;
}

function LifetimeDialog({ type, onClose }: LifetimeDialogProps) {
  const { name } = describeType(type.id);
  const [isLimited, setLimited] = useState(type.lifetimeDays !== null);
  const [days, setDays] = useState(type.lifetimeDays ?? DEFAULT_DAYS);
  const send = (lifetimeDays: number | null): Promise<unknown> =>
    request(adminPath`/feature-types/${type.id}/lifetime`, {
      method: "PUT",
      body: { lifetimeDays },
    });
  const saving = useChange({
    run: () => send(isLimited ? days : null),
    invalidates: [["flag-types"]],
    success: () => `Changed the lifetime of the type ${name}`,
    undo: () => send(type.lifetimeDays),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Lifetime of the type ${name}`}
      submit="Save"
      draft={[isLimited, days]}
      onClose={onClose}
      isPending={saving.isPending}
      error={saving.error}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
    >
      <p>This concerns flags of all projects, and takes effect within two minutes.</p>
      <Checkbox
        label="Flags of this type should be removed some day"
        isSelected={isLimited}
        onChange={setLimited}
      />
      {isLimited ? (
        <NumberField
          label="Days"
          value={days}
          onChange={setDays}
          minValue={1}
          maxValue={MAX_DAYS}
          step={1}
        />
      ) : null}
    </FormDialog>
  );
}
