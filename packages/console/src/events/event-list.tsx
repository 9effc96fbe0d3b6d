import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { type EventFilter, queries, toEventExport } from "../api/queries.ts";
import type { RecordedEvent } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Time } from "../ui/time.tsx";
import { useRestoredPages } from "../ui/use-restored-pages.ts";
import { useNames } from "../strategies/use-names.ts";
import { compareStates } from "./compare-states.ts";
import { describeEvent } from "./describe-event.ts";
import { DifferenceTable } from "./difference-table.tsx";
import { toWords } from "./recorded-words.ts";
import "./events.css";

interface EventListProps {
  readonly filter: EventFilter;
  /** Whether entries link to their flags. @default false */
  readonly linksFlags?: boolean;
  /** Returns what can be done with an entry. @default nothing */
  readonly actions?: (event: RecordedEvent) => ReactNode;
  /** How many pages to load, in the address of the page. Anything but a number is one. */
  readonly pages: string;
  readonly onPages: (pages: string) => void;
}

/** Recorded changes, newest first, with a button that loads more. */
export function EventList({
  filter,
  linksFlags = false,
  actions,
  pages: wanted,
  onPages,
}: EventListProps) {
  const query = useInfiniteQuery(queries.events(filter));
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const loadedCount = useRestoredPages(query, wanted);
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const events = distinct(pages.flatMap((page) => page.events));
        const total = pages.at(-1)?.total ?? 0;
        if (events.length === 0) {
          return (
            <Empty title="No changes found">
              <p>
                Every change is recorded, with its author and the previous state. Change the filters
                to find others.
              </p>
            </Empty>
          );
        }
        return (
          <>
            <div className="muted event-count">
              <span role="status">{describeCount(total, "change")}</span>
              <span>
                Export all as{" "}
                <a href={toEventExport(filter, "csv")} download>
                  CSV
                </a>{" "}
                or{" "}
                <a href={toEventExport(filter, "json")} download>
                  JSON
                </a>
              </span>
            </div>
            <ol className="card event-list">
              {events.map((event) => (
                <EventEntry
                  key={event.id}
                  event={event}
                  linksFlag={linksFlags}
                  actions={actions?.(event)}
                />
              ))}
            </ol>
            {hasNextPage ? (
              <div>
                <Button
                  isPending={isFetchingNextPage}
                  onPress={() => {
                    void fetchNextPage();
                    onPages(String(loadedCount + 1));
                  }}
                >
                  Load more
                </Button>
              </div>
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

/** Changes that are recorded while pages are loaded move others to the next page. */
function distinct(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

interface EventEntryProps {
  readonly event: RecordedEvent;
  /** Whether to link to the flag. */
  readonly linksFlag: boolean;
  /** What can be done with it. */
  readonly actions: ReactNode;
}

/** More would take the browser seconds: a context field can have 10,000 values. */
const MAX_DIFFERENCES = 100;

/** A recorded change: who did what and when, and on demand what is different. */
function EventEntry({ event, linksFlag, actions }: EventEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const names = useNames();
  const id = useId();
  const { project, featureName: flag, createdAt, data, preData, changeRequestId: request } = event;
  const hasDetails = data !== null || preData !== null;
  return (
    <li className="event">
      <div className="event-summary">
        <div className="event-text">
          <p id={`${id}-sentence`}>{describeEvent(event, names)}</p>
          <p className="muted event-meta">
            <Time value={createdAt} />
            {linksFlag && project !== null ? <span>{project}</span> : null}
            {linksFlag && project !== null && flag !== null ? (
              <Link to="/projects/$project/flags/$flag" params={{ project, flag }}>
                {flag}
              </Link>
            ) : null}
            {project !== null && request !== undefined ? (
              <Link
                to="/projects/$project/change-requests/$id"
                params={{ project, id: String(request) }}
              >
                Change request #{request}
              </Link>
            ) : null}
          </p>
        </div>
        <div className="event-actions">
          {actions}
          {hasDetails ? (
            <Button
              size="small"
              variant="quiet"
              aria-expanded={isOpen}
              aria-describedby={`${id}-sentence`}
              {...(isOpen && { "aria-controls": id })}
              onPress={() => setOpen(!isOpen)}
            >
              {isOpen ? "Hide details" : "Details"}
            </Button>
          ) : null}
        </div>
      </div>
      {isOpen ? (
        <div id={id} className="event-details">
          <EventDetails event={event} />
        </div>
      ) : null}
    </li>
  );
}

function EventDetails({ event }: { readonly event: RecordedEvent }) {
  const [showsJson, setShowsJson] = useState(false);
  const { data, preData } = event;
  const names = useNames();
  const differences = compareStates(toWords(preData, names), toWords(data, names));
  return (
    <>
      {differences.length === 0 ? (
        <p className="muted">No value has changed.</p>
      ) : (
        <DifferenceTable
          differences={differences.slice(0, MAX_DIFFERENCES)}
          {...(preData !== null && { before: "Before" })}
          {...(data !== null && { after: "After" })}
        />
      )}
      {differences.length > MAX_DIFFERENCES ? (
        <p className="muted">
          The JSON contains {describeCount(differences.length - MAX_DIFFERENCES, "more change")}
        </p>
      ) : null}
      <div>
        <Button size="small" onPress={() => setShowsJson(!showsJson)} aria-expanded={showsJson}>
          {showsJson ? "Hide the JSON" : "Show everything as JSON"}
        </Button>
      </div>
      {showsJson ? (
        <pre className="event-json code" tabIndex={0} role="region" aria-label="The event as JSON">
          {JSON.stringify(event, null, 2)}
        </pre>
      ) : null}
    </>
  );
}
