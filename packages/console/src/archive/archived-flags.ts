import { describeCount } from "../ui/numbers.ts";

/** What a dialog about archived flags of a project needs. */
export interface ArchivedFlagsDialogProps {
  readonly project: string;
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Returns the name of a single flag, or the number of several. */
export function describeFlags(names: readonly string[]): string {
  const [name = ""] = names;
  return names.length === 1 ? name : describeCount(names.length, "flag");
}
