import { Link } from "@tanstack/react-router";
import type { ChangeRequestSummary } from "../api/types.ts";

/** NOTE: not next to the table, because the list of flags, which people open first, does not need that. */
export function RequestLink({
  request: { project, id, title },
}: {
  readonly request: Pick<ChangeRequestSummary, "id" | "project" | "title">;
}) {
  return (
    <Link to="/projects/$project/change-requests/$id" params={{ project, id: String(id) }}>
      {title}
    </Link>
  );
}
