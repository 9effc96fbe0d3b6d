import { useState } from "react";
import { EventFilters, NO_CRITERIA } from "../events/event-filters.tsx";
import { EventList } from "../events/event-list.tsx";
import { useDebounced } from "../ui/use-debounced.ts";

/** The recorded changes of a flag. */
export function HistoryTab({ flag }: { readonly flag: string }) {
  const [criteria, setCriteria] = useState(NO_CRITERIA);
  const filter = {
    ...criteria,
    feature: flag,
    query: useDebounced(criteria.query),
    createdBy: useDebounced(criteria.createdBy),
  };
  return (
    <div className="stack">
      <EventFilters isGlobal={false} criteria={criteria} onChange={setCriteria} />
      <EventList filter={filter} />
    </div>
  );
}
