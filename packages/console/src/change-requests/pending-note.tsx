import { useQuery } from "@tanstack/react-query";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import { Banner } from "../ui/banner.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";

interface PendingNoteProps {
  readonly environment: string;
  /** Only the requests of this project. @default those of all projects */
  readonly project?: string;
  /** How many approvals changes will require. */
  readonly approvals: number;
}

/** What happens to the open requests for an environment in which changes will require more approvals. */
export function PendingNote({ environment, project, approvals }: PendingNoteProps) {
  const place = { environment, ...(project !== undefined && { project }) };
  const { data: open = 0 } = useQuery(changeRequestQueries.count({ ...place, state: "open" }));
  const { data: scheduled = 0 } = useQuery(
    changeRequestQueries.count({ ...place, state: "Scheduled" }),
  );
  if (open === 0) return null;
  const required = describeCount(approvals, "approval");
  return (
    <Banner kind="warning">
      {describeCount(open, "change request")} for {environment}{" "}
      {open === 1 ? "is open, and cannot" : "are open, and cannot"} be applied without {required}{" "}
      from then on.
      {scheduled === 0
        ? null
        : ` ${describeScheduled(open, scheduled)} scheduled: without ${required} at the time, the schedule is suspended until somebody sends the request to review.`}
    </Banner>
  );
}

function describeScheduled(open: number, scheduled: number): string {
  if (open === 1) return "It is";
  return `${formatCount(scheduled)} of them ${scheduled === 1 ? "is" : "are"}`;
}
