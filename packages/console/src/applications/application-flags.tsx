import { Link } from "@tanstack/react-router";
import type { ApplicationDetails } from "../api/types.ts";
import { describeType } from "../flags/flag-types.ts";
import { Badge } from "../ui/badge.tsx";
import { describeCount } from "../ui/numbers.ts";

interface ApplicationFlagsProps {
  readonly flags: ApplicationDetails["seenToggles"];
}

/** The flags that an application has evaluated. */
export function ApplicationFlags({ flags }: ApplicationFlagsProps) {
  const missing = flags.filter((flag) => "notFound" in flag).length;
  return (
    <section className="card card-body" aria-label="Flags">
      <h2>Flags</h2>
      {flags.length === 0 ? (
        <p className="muted">
          The application has not reported any evaluation recently. SDKs report about once a minute.
        </p>
      ) : (
        <p className="muted">
          It has recently evaluated {describeCount(flags.length, "flag")}
          {missing === 0
            ? "."
            : `. ${missing} of them no longer ${missing === 1 ? "exists, and is" : "exist, and are"} treated as off.`}
        </p>
      )}
      <ul className="application-list">
        {flags.map((flag) => (
          <li key={flag.name}>
            {"notFound" in flag ? (
              <>
                <span>{flag.name}</span>
                <Badge kind="warning">does not exist</Badge>
              </>
            ) : (
              <>
                <Link
                  to="/projects/$project/flags/$flag"
                  params={{ project: flag.project, flag: flag.name }}
                  search={{ tab: "usage" }}
                >
                  {flag.name}
                </Link>
                <span className="muted">
                  {flag.project} · {describeType(flag.type ?? "").name}
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
