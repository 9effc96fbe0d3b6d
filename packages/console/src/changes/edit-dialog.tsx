import { useQuery, type UseMutationResult } from "@tanstack/react-query";
import { Fragment, type ReactNode, useState } from "react";
import { requestVersioned, type Versioned } from "../api/request.ts";
import { Dialog, FormDialog } from "../ui/dialog.tsx";
import type { FieldSubjects } from "../ui/field-errors.ts";
import { Loaded } from "../ui/loaded.tsx";
import { compareStates } from "../events/compare-states.ts";
import { DifferenceTable } from "../events/difference-table.tsx";
import { toWords } from "../events/recorded-words.ts";
import { useNames } from "../strategies/use-names.ts";
import { type Proposal, useDialogWords, useRequirement } from "./proposal.ts";
import { useScheduling } from "./use-add-to-draft.ts";
import type { EditedChange, SaveInput } from "./use-save.ts";

/**
 * A resource as it was when a dialog was opened or `reload` was called. Later changes by others do not replace it, so
 * that saving with its ETag finds them.
 */
export interface EditedVersion<Value> extends Versioned<Value> {
  /** The path of the resource. */
  readonly path: string;
  /** Starts again with the current version. */
  readonly reload: () => void;
}

interface EditedResourceProps<Value> {
  /** The path of the resource that is edited. */
  readonly path: string;
  /** The title of the dialog that is shown until the resource has been read. */
  readonly title: string;
  readonly size?: "normal" | "wide";
  readonly onClose: () => void;
  /** Renders the dialog. */
  readonly children: (version: EditedVersion<Value>) => ReactNode;
}

/** Reads the current version of a resource for a dialog that edits it. */
export function EditedResource<Value>({
  path,
  title,
  size,
  onClose,
  children,
}: EditedResourceProps<Value>) {
  const [attempt, setAttempt] = useState(0);
  const query = useQuery<Versioned<Value>>({
    queryKey: ["edited", path, attempt],
    queryFn: ({ signal }) => requestVersioned<Value>(path, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (query.data === undefined) {
    return (
      <Dialog title={title} onClose={onClose} {...(size !== undefined && { size })}>
        <div className="dialog-content">
          <Loaded query={query}>{() => null}</Loaded>
        </div>
      </Dialog>
    );
  }
  return (
    <Fragment key={attempt}>
      <FirstVersion version={query.data}>
        {(version) => children({ ...version, path, reload: () => setAttempt(attempt + 1) })}
      </FirstVersion>
    </Fragment>
  );
}

interface FirstVersionProps<Value> {
  readonly version: Versioned<Value>;
  readonly children: (version: Versioned<Value>) => ReactNode;
}

/** NOTE: the query is read again with all others after a gap in the stream of changes. */
function FirstVersion<Value>({ version, children }: FirstVersionProps<Value>) {
  const [first] = useState(version);
  return children(first);
}

interface SaveDialogProps {
  readonly title: string;
  /** @default "normal" */
  readonly size?: "normal" | "wide";
  /** The label of the button that saves. */
  readonly submit: string;
  /** The resource that is edited; undefined for a new one. */
  readonly version: EditedVersion<unknown> | undefined;
  /** What the form edits. */
  readonly draft: unknown;
  readonly saving: Pick<
    UseMutationResult<unknown, Error, SaveInput>,
    "error" | "isPending" | "mutate"
  > & {
    readonly proposal?: Proposal | undefined;
    readonly edited?: EditedChange | undefined;
  };
  /** What saving does to whom, if people have to know it. */
  readonly consequence?: string | undefined;
  /** The fields that show what the service says about them. */
  readonly subjects?: FieldSubjects;
  readonly onClose: () => void;
  /** Called instead of `onClose` once it has been saved. @default `onClose` */
  readonly onSaved?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** A dialog that creates a resource, or saves it unless somebody else has changed it in the meantime. */
export function SaveDialog({
  version,
  saving,
  submit,
  consequence,
  onClose,
  onSaved = onClose,
  ...props
}: SaveDialogProps) {
  const { edited } = saving;
  const words = useDialogWords(
    saving.proposal,
    edited === undefined
      ? { submit, consequence }
      : { submit: "Save", consequence: edited.consequence },
  );
  const scheduling = useScheduling();
  const isRequested = useRequirement(saving.proposal) !== undefined;
  const canSchedule = consequence !== undefined && !isRequested && edited === undefined;
  const save = (overwrites: boolean): void => saving.mutate({ overwrites }, { onSuccess: onSaved });
  return (
    <FormDialog
      {...props}
      {...words}
      alternative={canSchedule ? scheduling(saving.proposal, onSaved) : undefined}
      onClose={onClose}
      isPending={saving.isPending}
      error={saving.error}
      onSubmit={() => save(false)}
      {...(version !== undefined && {
        conflict: {
          load: version.reload,
          overwrite: () => save(true),
          details: <OtherChanges version={version} />,
        },
      })}
    />
  );
}

/** What somebody else has changed in the resource since the dialog was opened, in words. */
function OtherChanges({ version }: { readonly version: EditedVersion<unknown> }) {
  const names = useNames();
  const { data: current } = useQuery<Versioned<unknown>>({
    queryKey: ["edited", version.path, "conflict"],
    queryFn: ({ signal }) => requestVersioned<unknown>(version.path, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  if (current === undefined) return null;
  const differences = compareStates(
    toWords(version.value, names),
    toWords(current.value, names),
  ).filter(({ path }) => !UNREADABLE.includes(path[0] ?? ""));
  if (differences.length === 0) return null;
  return (
    <DifferenceTable
      differences={differences.slice(0, SHOWN_DIFFERENCES)}
      before="When you opened it"
      after="Now"
    />
  );
}

/** How many changes of others are listed. */
const SHOWN_DIFFERENCES = 10;

/** Fields that the service derives from others. */
const UNREADABLE: readonly string[] = ["lastSeenAt", "warnings", "updatedAt"];
