import { useInfiniteQuery } from "@tanstack/react-query";
import { type EventFilter, queries } from "../api/queries.ts";
import type { RecordedEvent } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount } from "../ui/numbers.ts";
import { EventEntry } from "./event-entry.tsx";
import "./events.css";

interface EventListProps {
  readonly filter: EventFilter;
  /** Whether entries link to their flags. @default false */
  readonly linksFlags?: boolean;
}

/** Recorded changes, newest first, with a button that loads more. */
export function EventList({ filter, linksFlags = false }: EventListProps) {
  const query = useInfiniteQuery(queries.events(filter));
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const events = distinct(pages.flatMap((page) => page.events));
        const total = pages.at(-1)?.total ?? 0;
        if (events.length === 0) {
          return (
            <Empty title="No change found">
              <p>
                Every change is recorded, with its author and the previous state. Change the filters
                to find others.
              </p>
            </Empty>
          );
        }
        return (
          <>
            <p className="muted event-count" role="status">
              {describeCount(total, "change")}
            </p>
            <ol className="card event-list">
              {events.map((event) => (
                <EventEntry key={event.id} event={event} linksFlag={linksFlags} />
              ))}
            </ol>
            {hasNextPage ? (
              <div>
                <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
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
