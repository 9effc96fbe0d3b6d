import type { Flag } from "../api/types.ts";
import { describeType } from "../flags/flag-types.ts";
import { Badge } from "../ui/badge.tsx";
import { Time } from "../ui/time.tsx";
import { FlagTags } from "./flag-tags.tsx";

/** What a flag is for, who created it, and its tags. */
export function FlagDetails({ flag }: { readonly flag: Flag }) {
  const { type, description, stale, createdAt, createdBy, impressionData } = flag;
  return (
    <div className="flag-details">
      {description === null || description === "" ? null : (
        <p className="flag-purpose">{description}</p>
      )}
      <p className="row muted">
        <Badge kind="accent">{describeType(type).name}</Badge>
        {stale ? <Badge kind="warning">Stale: can be removed from the code</Badge> : null}
        {impressionData ? <Badge>Impression data</Badge> : null}
        <span>
          Created <Time value={createdAt} /> by {createdBy.name}
        </span>
      </p>
      <FlagTags flag={flag} />
    </div>
  );
}
