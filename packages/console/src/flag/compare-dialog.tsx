import { Copy } from "lucide-react";
import { useState } from "react";
import type { Flag, FlagEnvironment } from "../api/types.ts";
import { sortByType } from "../environments/sort-by-type.ts";
import { DifferenceTable } from "../events/difference-table.tsx";
import type { Names } from "../strategies/describe-strategy.ts";
import { useNames } from "../strategies/use-names.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Select } from "../ui/select.tsx";
import { compareEnvironments, type ComparedPart, isDifferent } from "./compare-environments.ts";
import { CopyEnvironmentDialog } from "./copy-environment-dialog.tsx";
import { useCanEdit } from "./use-can-edit.ts";

interface CompareDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

/** Shows what a flag does in two environments side by side, and copies it from one to the other. */
export function CompareDialog({ flag, onClose }: CompareDialogProps) {
  const places = sortByType(flag.environments);
  const [leftName, setLeft] = useState(places[0]?.name ?? "");
  const [rightName, setRight] = useState(places.at(-1)?.name ?? "");
  const canEdit = useCanEdit(flag);
  const names = useNames();
  const left = places.find(({ name }) => name === leftName);
  const right = places.find(({ name }) => name === rightName);
  const choices = places.map(({ name }) => ({ id: name, label: name }));
  return (
    <Dialog title={`Compare environments of ${flag.name}`} onClose={onClose} size="wide">
      <div className="dialog-content">
        <div className="compare-choice">
          <Select label="Left" choices={choices} value={leftName} onChange={setLeft} />
          <Select label="Right" choices={choices} value={rightName} onChange={setRight} />
        </div>
        {left === undefined || right === undefined || left === right ? (
          <p className="flag-note">Choose two different environments.</p>
        ) : (
          <>
            <Comparison left={left} right={right} names={names} />
            {canEdit ? (
              <div className="row">
                <CopyButton flag={flag} source={left} target={right} onCopied={onClose} />
                <CopyButton flag={flag} source={right} target={left} onCopied={onClose} />
              </div>
            ) : null}
          </>
        )}
      </div>
      <footer className="dialog-footer">
        <Button variant="primary" onPress={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

interface CopyButtonProps {
  readonly flag: Flag;
  readonly source: FlagEnvironment;
  readonly target: FlagEnvironment;
  /** NOTE: closes the comparison, below which nobody could reach the message with Undo. */
  readonly onCopied: () => void;
}

function CopyButton(props: CopyButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onPress={() => setOpen(true)}>
        <Copy aria-hidden /> Copy {props.source.name} to {props.target.name}…
      </Button>
      {isOpen ? <CopyEnvironmentDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface ComparisonProps {
  readonly left: FlagEnvironment;
  readonly right: FlagEnvironment;
  readonly names: Names;
}

function Comparison({ left, right, names }: ComparisonProps) {
  const parts = compareEnvironments(left, right, names);
  const differentCount = parts.filter(isDifferent).length;
  return (
    <>
      <p className="flag-note" role="status">
        {differentCount === 0
          ? `The flag does the same in ${left.name} and ${right.name}.`
          : `${describeCount(differentCount, "difference")} between ${left.name} and ${right.name}`}
      </p>
      <table className="table compare-table">
        <thead>
          <tr>
            <th scope="col">{left.name}</th>
            <th scope="col">{right.name}</th>
          </tr>
        </thead>
        {parts.map((part, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- two strategies can have the same title
          <PartRows key={index} part={part} left={left.name} right={right.name} />
        ))}
      </table>
    </>
  );
}

interface PartRowsProps {
  readonly part: ComparedPart;
  readonly left: string;
  readonly right: string;
}

function PartRows({ part, left, right }: PartRowsProps) {
  const differs = isDifferent(part);
  // One difference of something that is one word says nothing new.
  const details = part.differences.filter(({ path }) => path.length > 0);
  const hasBoth = part.left !== undefined && part.right !== undefined;
  return (
    <tbody className={differs ? "compare-different" : undefined}>
      <tr className="compare-label">
        <th scope="rowgroup" colSpan={2}>
          {part.label}{" "}
          <Badge kind={differs ? "warning" : "neutral"}>{differs ? "Different" : "Same"}</Badge>
        </th>
      </tr>
      <tr>
        <td>{part.left ?? <span className="muted">Not in {left}</span>}</td>
        <td>{part.right ?? <span className="muted">Not in {right}</span>}</td>
      </tr>
      {hasBoth && details.length > 0 ? (
        <tr>
          <td colSpan={2}>
            <DifferenceTable differences={details} before="Left" after="Right" />
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}
