import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Select } from "../ui/select.tsx";
import { sortDistinct } from "../ui/words.ts";

const KEYS = [["cleanup"], ["flags"], ["flag"]] as const;

/** Returns a function that returns a completed flag to its stage before. */
export function useContinue({ project, name }: Pick<Flag, "name" | "project">) {
  const change = useChange({
    run: () =>
      request(adminPath`/projects/${project}/features/${name}/lifecycle/uncomplete`, {
        method: "POST",
      }),
    invalidates: KEYS,
    success: () => `${name} is no longer completed`,
  });
  return () => change.mutate();
}

interface CompleteDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

/** Says that the work on a flag has ended, and which path of the code stays. */
export function CompleteDialog({ flag, onClose }: CompleteDialogProps) {
  const { project, name } = flag;
  const variants = variantsOf(flag);
  const [kept, setKept] = useState(keptBy(flag));
  const path = adminPath`/projects/${project}/features/${name}/lifecycle`;
  const completing = useChange({
    run: () =>
      request(`${path}/complete`, {
        method: "POST",
        body: kept.startsWith(VARIANT)
          ? { status: "kept", statusValue: kept.slice(VARIANT.length) }
          : { status: kept },
      }),
    invalidates: KEYS,
    success: () => `Completed ${name}`,
    undo: () => request(`${path}/uncomplete`, { method: "POST" }),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Complete ${name}?`}
      submit="Complete"
      draft={kept}
      onClose={onClose}
      isPending={completing.isPending}
      error={completing.error}
      onSubmit={() => completing.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        The flag has done its work, and can be removed from the code. Nothing changes for anybody
        until it is archived.
      </p>
      <Select
        label="What stays in the code"
        choices={[
          { id: "kept", label: "The enabled path" },
          { id: "discarded", label: "The disabled path" },
          ...variants.map((variant) => ({ id: VARIANT + variant, label: `Variant “${variant}”` })),
        ]}
        value={kept}
        onChange={setKept}
      />
    </FormDialog>
  );
}

const VARIANT = "variant:";

function variantsOf({ environments }: Flag): readonly string[] {
  return sortDistinct(
    environments.flatMap(({ variants, strategies }) =>
      [...variants, ...strategies.flatMap((strategy) => strategy.variants)].map(({ name }) => name),
    ),
  );
}

/** What applications have got lately, if it was always the same. */
function keptBy(flag: Flag): string {
  const value = flag.staleReason?.value;
  if (value?.variant !== undefined && variantsOf(flag).includes(value.variant)) {
    return VARIANT + value.variant;
  }
  return value?.enabled === false ? "discarded" : "kept";
}
