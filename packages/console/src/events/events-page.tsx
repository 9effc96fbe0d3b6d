import { Page } from "../ui/page.tsx";
import { EVENT_FIELDS } from "../app/list-fields.ts";
import { EventFilters } from "./event-filters.tsx";
import { EventList } from "./event-list.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { useListState } from "../ui/use-list-state.ts";

/** All recorded changes. */
export function EventsPage() {
  const [{ pages, ...criteria }, changeList] = useListState(EVENT_FIELDS);
  const filter = {
    ...criteria,
    query: useDebounced(criteria.query),
    createdBy: useDebounced(criteria.createdBy),
    feature: useDebounced(criteria.feature),
  };
  return (
    <Page title="Events" description="Who changed what, and when.">
      <EventFilters
        isGlobal
        criteria={criteria}
        onChange={(next) => changeList({ ...next, pages: "" })}
      />
      <EventList
        filter={filter}
        linksFlags
        pages={pages}
        onPages={(next) => changeList({ pages: next })}
      />
    </Page>
  );
}
