import { useQuery } from "@tanstack/react-query";
import { cleanupQueries } from "../api/cleanup-queries.ts";
import { Banner } from "../ui/banner.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { Time } from "../ui/time.tsx";
import "../ui/name-list.css";
import { describeUsers } from "./describe-stale.ts";

const SHOWN = 5;

interface UsedFlagsProps {
  readonly project: string;
  readonly names: readonly string[];
}

/** Warns that applications still use flags that are about to be archived. */
export function UsedFlags({ project, names }: UsedFlagsProps) {
  const { data: used = [] } = useQuery(cleanupQueries.usedFlags(project, names));
  if (used.length === 0) return null;
  const subject = names.length === 1 ? "this flag" : describeCount(used.length, "flag");
  return (
    <Banner kind="warning">
      <p>
        Applications have used {subject} in the last 7 days. They will get “off”, whatever they get
        now. Remove {used.length === 1 ? "it" : "them"} from the code first.
      </p>
      <ul className="name-list">
        {used.slice(0, SHOWN).map(({ name, lastSeenAt, ...users }) => (
          <li key={name}>
            <strong>{name}</strong>: <Time value={lastSeenAt} />
            {users.applications.length === 0 ? "" : ` by ${describeUsers(users)}`}
          </li>
        ))}
        {used.length > SHOWN ? <li>and {formatCount(used.length - SHOWN)} more</li> : null}
      </ul>
    </Banner>
  );
}
