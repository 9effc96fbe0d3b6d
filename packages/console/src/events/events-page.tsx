import { useState } from "react";
import { Page } from "../ui/page.tsx";
import { EventFilters, NO_CRITERIA } from "./event-filters.tsx";
import { EventList } from "./event-list.tsx";
import { useDebounced } from "../ui/use-debounced.ts";

/** All recorded changes. */
export function EventsPage() {
  const [criteria, setCriteria] = useState(NO_CRITERIA);
  const filter = {
    ...criteria,
    query: useDebounced(criteria.query),
    createdBy: useDebounced(criteria.createdBy),
    feature: useDebounced(criteria.feature),
  };
  return (
    <Page title="Events" description="Who changed what, and when.">
      <EventFilters isGlobal criteria={criteria} onChange={setCriteria} />
      <EventList filter={filter} linksFlags />
    </Page>
  );
}
