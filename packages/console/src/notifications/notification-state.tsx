import { Link } from "@tanstack/react-router";
import type { Addon } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { withFullStop } from "../ui/describe-error.ts";
import { describeCount } from "../ui/numbers.ts";
import { Time } from "../ui/time.tsx";
import { problemOf } from "./notification-problem.ts";

export function StateBadge({ addon }: { readonly addon: Addon }) {
  switch (problemOf(addon)) {
    case "disabled":
      return <Badge kind="bad">Turned off</Badge>;
    case "failing":
      return <Badge kind="warning">Failing</Badge>;
    default:
      return addon.enabled ? <Badge kind="good">On</Badge> : <Badge>Off</Badge>;
  }
}

interface NotificationProblemProps {
  readonly addon: Addon;
  readonly name: string;
  /** Whether the name leads to the page of the notification. @default false */
  readonly isLinked?: boolean;
}

/** Says what is wrong with a notification, if anything. */
export function NotificationProblem({ addon, name, isLinked = false }: NotificationProblemProps) {
  const problem = problemOf(addon);
  if (problem === undefined) return null;
  const shown = isLinked ? (
    <Link to="/notifications/$notification" params={{ notification: String(addon.id) }}>
      {name}
    </Link>
  ) : (
    name
  );
  if (problem === "disabled") {
    return (
      <Banner kind="error">
        The service has turned off {shown}. {withFullStop(addon.disabledReason ?? "")}
      </Banner>
    );
  }
  const waiting =
    addon.pending === 0 ? "" : ` ${describeCount(addon.pending, "message")} will be tried again.`;
  return (
    <Banner kind="warning">
      {shown} has received nothing since it first failed, <Time value={addon.failingSince ?? ""} />.{" "}
      {withFullStop(addon.lastAttempt?.reason ?? "")}
      {waiting}
    </Banner>
  );
}
