import { Link } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp } from "lucide-react";
import {
  type CSSProperties,
  type Dispatch,
  memo,
  type SetStateAction,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { FlagSummary } from "../api/types.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { toTagText } from "../tags/tag-text.ts";
import { Badge } from "../ui/badge.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { withEntry } from "../ui/selection.tsx";
import { Switch } from "../ui/switch.tsx";
import { Time } from "../ui/time.tsx";
import { type FlagFilter, lastSeenAt, type SortColumn } from "./filter-flags.ts";
import { describeType } from "./flag-types.ts";
import { useLayout } from "./use-layout.ts";
import { useSwitchFlag } from "./use-switch-flag.ts";
import "./flag-list.css";

/** Height of a row in pixels until it has been measured. */
const ESTIMATED_HEIGHT = 64;
/** Rows outside of the window that are rendered, so that fast scrolling shows no gaps. */
const OVERSCAN = 12;

interface FlagListProps {
  readonly project: string;
  readonly flags: readonly FlagSummary[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: Dispatch<SetStateAction<ReadonlySet<string>>>;
  readonly filter: FlagFilter;
  readonly onFilter: (filter: FlagFilter) => void;
}

/** A table of flags with a switch for each environment. Only the visible rows are rendered. */
export function FlagList({ project, flags, selected, onSelect, filter, onFilter }: FlagListProps) {
  const canEdit = useHasProjectRole(project, "editor");
  const switching = useSwitchFlag(project);
  const container = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  const environments = useMemo(() => environmentsOf(flags), [flags]);
  const layout = useLayout(container, environments.length);
  useLayoutEffect(() => {
    setOffset((container.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [layout]);
  const rows = useWindowVirtualizer({
    count: flags.length,
    estimateSize: () => ESTIMATED_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: offset,
    getItemKey: (index) => flags[index]?.name ?? index,
  });
  const chosen = useMemo(
    () => flags.filter(({ name }) => selected.has(name)).length,
    [flags, selected],
  );
  // NOTE: the same function each time, so that scrolling renders only rows that are new.
  const select = useCallback(
    (flag: string, isSelected: boolean) =>
      onSelect((current) => withEntry(current, flag, isSelected)),
    [onSelect],
  );

  return (
    <div
      className={`flag-list flag-list-${layout} card`}
      role="table"
      aria-label="Flags"
      aria-rowcount={flags.length + 1}
      style={{ "--environments": environments.length } as CSSProperties}
    >
      <div className="flag-row flag-head" role="row" aria-rowindex={1}>
        <span role="columnheader">
          <Checkbox
            label="Select all flags"
            hidesLabel
            isDisabled={!canEdit}
            isSelected={chosen === flags.length}
            isIndeterminate={chosen > 0 && chosen < flags.length}
            onChange={(isSelected) =>
              onSelect(new Set(isSelected ? flags.map(({ name }) => name) : []))
            }
          />
        </span>
        <SortHeader column="name" label="Name" filter={filter} onFilter={onFilter} />
        {environments.map((name) => (
          <span key={name} role="columnheader" className="flag-environment" title={name}>
            <span className="flag-environment-name">{name}</span>
          </span>
        ))}
        <SortHeader column="lastSeenAt" label="Last used" filter={filter} onFilter={onFilter} />
        <SortHeader column="createdAt" label="Created" filter={filter} onFilter={onFilter} />
      </div>
      <div
        role="rowgroup"
        ref={container}
        className="flag-body"
        style={{ height: rows.getTotalSize() }}
      >
        {rows.getVirtualItems().map(({ index, start }) => {
          const flag = flags[index];
          if (flag === undefined) return null;
          return (
            <Row
              key={flag.name}
              flag={flag}
              index={index}
              top={start - offset}
              measure={rows.measureElement}
              environments={environments}
              canEdit={canEdit}
              isSelected={selected.has(flag.name)}
              onSelect={select}
              onSwitch={switching.mutate}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly flag: FlagSummary;
  readonly index: number;
  /** Distance from the top of the list in pixels. */
  readonly top: number;
  /** Called with the element, whose height depends on what is in the row. */
  readonly measure: (element: HTMLElement | null) => void;
  readonly environments: readonly string[];
  readonly canEdit: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (flag: string, isSelected: boolean) => void;
  readonly onSwitch: ReturnType<typeof useSwitchFlag>["mutate"];
}

const Row = memo(function Row({
  flag,
  index,
  top,
  measure,
  environments,
  canEdit,
  isSelected,
  onSelect,
  onSwitch,
}: RowProps) {
  const { name, project, description, stale, tags, type, createdAt } = flag;
  const used = lastSeenAt(flag);
  return (
    <div
      className="flag-row"
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      ref={measure}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="cell">
        <Checkbox
          label={`Select ${name}`}
          hidesLabel
          isDisabled={!canEdit}
          isSelected={isSelected}
          onChange={(isChecked) => onSelect(name, isChecked)}
        />
      </span>
      <span role="rowheader" className="flag-name">
        <span className="flag-title">
          <Link to="/projects/$project/flags/$flag" params={{ project, flag: name }}>
            {name}
          </Link>
          {stale ? <Badge kind="warning">stale</Badge> : null}
          {tags.map((tag) => (
            <Badge key={toTagText(tag)}>{toTagText(tag)}</Badge>
          ))}
        </span>
        <span className="muted flag-description" title={description ?? ""}>
          {describeType(type).name}
          {description ? ` · ${description}` : ""}
        </span>
      </span>
      {environments.map((environment) => {
        const state = flag.environments.find((entry) => entry.name === environment);
        return (
          <span key={environment} role="cell" className="flag-environment" data-label={environment}>
            {state === undefined ? (
              <span className="muted">–</span>
            ) : (
              <Switch
                label={`${name} in ${environment}`}
                hidesLabel
                isDisabled={!canEdit}
                isSelected={state.enabled}
                onChange={(enabled) => onSwitch({ flag: name, environment, enabled })}
              />
            )}
          </span>
        );
      })}
      <span role="cell" className="flag-time muted">
        {used === undefined ? "never" : <Time value={used} />}
      </span>
      <span role="cell" className="flag-time muted">
        <Time value={createdAt} />
      </span>
    </div>
  );
});

interface SortHeaderProps {
  readonly column: SortColumn;
  readonly label: string;
  readonly filter: FlagFilter;
  readonly onFilter: (filter: FlagFilter) => void;
}

function SortHeader({ column, label, filter, onFilter }: SortHeaderProps) {
  const isSorted = filter.sortBy === column;
  const Arrow = filter.descending ? ArrowDown : ArrowUp;
  return (
    <span
      role="columnheader"
      className={column === "name" ? "flag-name" : "flag-time"}
      aria-sort={isSorted ? (filter.descending ? "descending" : "ascending") : "none"}
    >
      <button
        type="button"
        className="sort"
        onClick={() =>
          onFilter({
            ...filter,
            sortBy: column,
            descending: isSorted ? !filter.descending : column !== "name",
          })
        }
      >
        {label}
        {isSorted ? <Arrow aria-hidden /> : null}
      </button>
    </span>
  );
}

function environmentsOf(flags: readonly FlagSummary[]): readonly string[] {
  const orders = new Map(
    flags.flatMap((flag) => flag.environments.map(({ name, sortOrder }) => [name, sortOrder])),
  );
  return [...orders].toSorted(([, a], [, b]) => a - b).map(([name]) => name);
}
