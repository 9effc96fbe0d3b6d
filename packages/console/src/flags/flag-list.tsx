import { Link } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
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
import {
  type FindSwitch,
  RequestedSwitch,
  useRequestedSwitches,
} from "../change-requests/requested-switch.tsx";
import { ProductionMark } from "../environments/production-mark.tsx";
import { FavoriteButton } from "../favorites/favorite-button.tsx";
import { useFavoriteFlag } from "../favorites/use-favorites.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { toTagText } from "../tags/tag-text.ts";
import { Badge } from "../ui/badge.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { withEntry } from "../ui/selection.tsx";
import type { Sort } from "../ui/sort.ts";
import { ariaSort, SortButton } from "../ui/sort-button.tsx";
import { Switch } from "../ui/switch.tsx";
import { Time } from "../ui/time.tsx";
import { describeTurnedOnReach } from "./consequence.ts";
import { describeReach } from "./describe-reach.ts";
import { lastSeenAt } from "./filter-flags.ts";
import { useDefaultReach } from "./use-default-reach.ts";
import { type FlagColumns, TIME_LABELS, type TimeColumn } from "./flag-columns.ts";
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
  readonly columns: FlagColumns;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: Dispatch<SetStateAction<ReadonlySet<string>>>;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}

/** A table of flags with a switch for each environment. Only the visible rows are rendered. */
export function FlagList({
  project,
  flags,
  columns: { environments, times },
  selected,
  onSelect,
  sort,
  onSort,
}: FlagListProps) {
  const canEdit = useHasProjectRole(project, "editor");
  const switching = useSwitchFlag(project);
  const marking = useFavoriteFlag();
  const defaultReach = useDefaultReach(project);
  const requestedSwitch = useRequestedSwitches(project);
  const container = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  const layout = useLayout(container, environments.length, times.length);
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
        <SortHeader column="name" label="Name" sort={sort} onSort={onSort} />
        {environments.map(({ name, isProduction }) => (
          <span
            key={name}
            role="columnheader"
            className={classOf(isProduction)}
            title={isProduction ? `${name}: an environment of type production` : name}
          >
            {isProduction ? <ProductionMark /> : null}
            <span className="flag-environment-name">{name}</span>
          </span>
        ))}
        {times.map((column) => (
          <SortHeader
            key={column}
            column={column}
            label={TIME_LABELS[column]}
            sort={sort}
            onSort={onSort}
          />
        ))}
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
              times={times}
              hasTimeColumns={layout === "full"}
              canEdit={canEdit}
              isSelected={selected.has(flag.name)}
              onSelect={select}
              onSwitch={switching.mutate}
              onMark={marking.mutate}
              defaultReach={defaultReach}
              requestedSwitch={requestedSwitch}
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
  readonly environments: FlagColumns["environments"];
  readonly times: FlagColumns["times"];
  /** Whether the times have columns of their own. */
  readonly hasTimeColumns: boolean;
  readonly canEdit: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (flag: string, isSelected: boolean) => void;
  readonly onSwitch: ReturnType<typeof useSwitchFlag>["mutate"];
  readonly onMark: ReturnType<typeof useFavoriteFlag>["mutate"];
  /** For whom a flag without a strategy is on when it is turned on in an environment. */
  readonly defaultReach: (environment: string) => string;
  readonly requestedSwitch: FindSwitch;
}

const Row = memo(function Row({
  flag,
  index,
  top,
  measure,
  environments,
  times,
  hasTimeColumns,
  canEdit,
  isSelected,
  onSelect,
  onSwitch,
  onMark,
  defaultReach,
  requestedSwitch,
}: RowProps) {
  const { name, project, description, stale, potentiallyStale, tags, type, favorite } = flag;
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
          <FavoriteButton
            name={name}
            isFavorite={favorite}
            onChange={(isFavorite) => onMark({ project, flag: name, isFavorite })}
          />
          <Link to="/projects/$project/flags/$flag" params={{ project, flag: name }}>
            {name}
          </Link>
          {stale ? <Badge kind="warning">stale</Badge> : null}
          {potentiallyStale ? <Badge>potentially stale</Badge> : null}
          {tags.map((tag) => (
            <Badge key={toTagText(tag)}>{toTagText(tag)}</Badge>
          ))}
        </span>
        <span className="muted flag-description" title={description ?? ""}>
          {describeType(type).name}
          {description ? ` · ${description}` : ""}
        </span>
        {hasTimeColumns || times.length === 0 ? null : (
          <span className="muted flag-times">
            {times.map((column) => (
              <span key={column}>
                {TIME_LABELS[column]} <FlagTime flag={flag} column={column} />
              </span>
            ))}
          </span>
        )}
      </span>
      {environments.map(({ name: environment, isProduction }) => {
        const state = flag.environments.find((entry) => entry.name === environment);
        const requested = requestedSwitch(name, environment);
        return (
          <span key={environment} role="cell" className={classOf(isProduction)}>
            {state === undefined ? (
              <span className="muted">–</span>
            ) : (
              <>
                <Switch
                  label={`${name} in ${environment}`}
                  hidesLabel
                  isDisabled={!canEdit}
                  isSelected={state.enabled}
                  onChange={(enabled) =>
                    onSwitch({
                      flag: name,
                      environment: state,
                      enabled,
                      reached: describeTurnedOnReach(state, defaultReach(state.name)),
                      hasStrategy: state.reach.strategyCount > 0,
                    })
                  }
                />
                <ReachOf state={state} />
                {requested === undefined ? null : (
                  <span className="flag-reach">
                    <RequestedSwitch request={requested} isShort />
                  </span>
                )}
              </>
            )}
            <span className="flag-environment-label" aria-hidden>
              {isProduction ? <ProductionMark /> : null}
              {environment}
            </span>
          </span>
        );
      })}
      {hasTimeColumns
        ? times.map((column) => (
            <span key={column} role="cell" className="flag-time muted">
              <FlagTime flag={flag} column={column} />
            </span>
          ))
        : null}
    </div>
  );
});

/** What the flag does in an environment. */
function ReachOf({ state }: { readonly state: FlagSummary["environments"][number] }) {
  const { audience, variants, next } = describeReach(state);
  return (
    <span className={audience === "off" ? "flag-reach muted" : "flag-reach"}>
      {audience}
      {next !== undefined ? (
        <span className="muted" title={next.details}>
          {next.text}
        </span>
      ) : variants === "" ? null : (
        <span className="muted">{variants}</span>
      )}
    </span>
  );
}

function classOf(isProduction: boolean): string {
  return isProduction ? "flag-environment flag-production" : "flag-environment";
}

interface FlagTimeProps {
  readonly flag: FlagSummary;
  readonly column: TimeColumn;
}

function FlagTime({ flag, column }: FlagTimeProps) {
  const time = column === "createdAt" ? flag.createdAt : lastSeenAt(flag);
  return time === undefined ? "never" : <Time value={time} />;
}

interface SortHeaderProps {
  readonly column: string;
  readonly label: string;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}

function SortHeader(props: SortHeaderProps) {
  const { column, sort } = props;
  return (
    <span
      role="columnheader"
      className={column === "name" ? "flag-name" : "flag-time"}
      aria-sort={ariaSort(column, sort)}
    >
      <SortButton {...props} startsDescending={column !== "name"} />
    </span>
  );
}
