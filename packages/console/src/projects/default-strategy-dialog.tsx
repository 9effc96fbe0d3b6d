import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { ProjectEnvironment, ProjectSettings } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { describeStrategy } from "../strategies/describe-strategy.ts";
import { createDraft, toBody, toDraft } from "../strategies/strategy-draft.ts";
import { StrategyFields } from "../strategies/strategy-dialogs.tsx";
import { FormDialog } from "../ui/dialog.tsx";

interface DefaultStrategyDialogProps {
  readonly project: Pick<ProjectSettings, "defaultStickiness" | "id">;
  readonly environment: ProjectEnvironment;
  readonly onClose: () => void;
}

/** Edits the strategy that flags without one get when they are turned on in an environment. */
export function DefaultStrategyDialog({
  project: { id, defaultStickiness },
  environment: { name, defaultStrategy },
  onClose,
}: DefaultStrategyDialogProps) {
  // Without a group id, each flag uses its name.
  const [draft, setDraft] = useState(() =>
    defaultStrategy === undefined
      ? createDraft({ flag: "", stickiness: defaultStickiness })
      : toDraft(defaultStrategy),
  );
  const { data: types = [] } = useQuery(queries.strategyTypes());
  const { data: segments = [] } = useQuery(queries.segments());
  const saving = useChange({
    run: () =>
      request(adminPath`/projects/${id}/environments/${name}/default-strategy`, {
        method: "POST",
        body: toBody(draft, types),
      }),
    invalidates: [["environments"], ["segments"], ["context-fields"]],
    success: () => `Saved the default strategy in ${name}`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Default strategy in ${name}`}
      size="wide"
      submit="Save"
      draft={draft}
      isPending={saving.isPending}
      error={saving.error}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="strategy-preview" role="status">
        A flag without a strategy that is turned on is on for{" "}
        {describeStrategy(draft, { segments, types })}.
      </p>
      <p className="muted">
        New strategies in {name} start with it too. Flags that have strategies keep them.
      </p>
      <StrategyFields project={id} flag="" draft={draft} setDraft={setDraft} />
    </FormDialog>
  );
}
