import type { RequestedChange } from "../api/types.ts";
import { compareStates } from "../events/compare-states.ts";
import { DifferenceTable } from "../events/difference-table.tsx";
import { countAt } from "../../../admin/src/event-words/event-parts.ts";
import { EVENT_WORDS } from "../../../admin/src/event-words/event-words.ts";
import { isObject } from "../../../admin/src/event-words/recorded-state.ts";
import { toWords } from "../events/recorded-words.ts";
import { useNames } from "../strategies/use-names.ts";
import { describeCount } from "../ui/numbers.ts";
import "./change-requests.css";

/** What a change would do: the values before and after. */
export function ChangeEvents({ events }: Pick<RequestedChange, "events">) {
  const stops = events.filter(({ type }) => type === "rollout-plan-stopped");
  // What a single event says is in the sentence about the change already.
  const shown = events.filter(
    (event) => !stops.includes(event) && (event.preData !== null || event.data !== null),
  );
  return (
    <>
      {shown.map((event, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the events of a change keep their order
        <div key={index} className="request-table-frame">
          {events.length === 1 ? null : <h4>{EVENT_WORDS[event.type].label}</h4>}
          <Differences before={event.preData} after={event.data} />
        </div>
      ))}
      {stops.map(({ data }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- as above
        <p key={index}>
          This stops the rollout plan of the strategy, which is at step {countAt(data, "step")}.
        </p>
      ))}
    </>
  );
}

/** Fields that say nothing about what a change does: they get other values when it is made. */
const MEANINGLESS: readonly string[] = ["archivedAt", "createdAt", "id", "sortOrder", "strategyId"];

function toShown(state: unknown): unknown {
  if (!isObject(state)) return state;
  return Object.fromEntries(Object.entries(state).filter(([name]) => !MEANINGLESS.includes(name)));
}

interface DifferencesProps {
  /** Null for something new. */
  readonly before: unknown;
  /** Null for something deleted. */
  readonly after: unknown;
}

/** More would take the browser seconds: a segment can have 10,000 values. */
const MAX_DIFFERENCES = 100;

function Differences({ before, after }: DifferencesProps) {
  const names = useNames();
  const found = compareStates(toWords(toShown(before), names), toWords(toShown(after), names));
  return (
    <>
      <DifferenceTable
        differences={found.slice(0, MAX_DIFFERENCES)}
        {...(before !== null && { before: "Before" })}
        {...(after !== null && { after: "After" })}
      />
      {found.length > MAX_DIFFERENCES ? (
        <p className="muted">And {describeCount(found.length - MAX_DIFFERENCES, "more change")}.</p>
      ) : null}
    </>
  );
}
