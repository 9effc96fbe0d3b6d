import type { QueryKey } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { StrategyReference } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import "./references.css";

interface ReferencesDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  /** Where it is used. */
  readonly children: ReactNode;
}

/** Shows where something is used. */
export function ReferencesDialog({ name, onClose, children }: ReferencesDialogProps) {
  return (
    <Dialog title={`Where ${name} is used`} onClose={onClose}>
      <div className="dialog-content">{children}</div>
    </Dialog>
  );
}

interface DeleteUnusedDialogProps {
  readonly name: string;
  readonly path: string;
  readonly invalidates: readonly QueryKey[];
  readonly onClose: () => void;
  readonly isUsed: boolean;
  /** What to do first, and where, if it is used. */
  readonly references: ReactNode;
  /** What a deletion means. */
  readonly children: ReactNode;
}

/** Deletes something after a confirmation, or says where it is used. */
export function DeleteUnusedDialog({
  name,
  isUsed,
  references,
  ...props
}: DeleteUnusedDialogProps) {
  if (!isUsed) return <DeleteDialog subject={name} {...props} />;
  return (
    <Dialog title={`${name} cannot be deleted yet`} onClose={props.onClose}>
      <div className="dialog-content">{references}</div>
    </Dialog>
  );
}

interface StrategyReferencesProps {
  readonly references: readonly StrategyReference[];
}

/** Links to the flags whose strategies use something, with their environments. */
export function StrategyReferences({ references }: StrategyReferencesProps) {
  const names = [...new Set(references.map(({ featureName }) => featureName))];
  return (
    <>
      <p>Strategies of these flags:</p>
      <ul className="strategy-references">
        {names.map((flag) => {
          const ofFlag = references.filter(({ featureName }) => featureName === flag);
          const environments = new Set(ofFlag.map(({ environment }) => environment));
          return (
            <li key={flag}>
              <Link
                to="/projects/$project/flags/$flag"
                params={{ project: ofFlag[0]?.projectId ?? "", flag }}
              >
                {flag}
              </Link>{" "}
              <span className="muted">in {[...environments].join(", ")}</span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
