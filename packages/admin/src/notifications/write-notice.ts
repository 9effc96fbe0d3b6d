import { toPageUrl } from "../accounts/page-url.ts";
import type { EventView } from "../domain/events/find-events.ts";
import { describeEvent } from "../event-words/describe-event.ts";
import type { StrategyWords } from "../event-words/event-parts.ts";
import { fieldsOf, listAt } from "../event-words/recorded-state.ts";
import type { Notice } from "./providers/provider.ts";

/**
 * Says what an event is about.
 *
 * @param publicUrl address at which browsers reach the service; undefined if it is not known
 */
export function writeNotice(event: EventView, publicUrl: string | undefined): Notice {
  const path = pageOf(event);
  return {
    event,
    text: describeEvent(event, STRATEGY_WORDS),
    link: publicUrl === undefined ? undefined : toPageUrl(publicUrl, path),
  };
}

/** Returns the path of the page that shows what has changed. */
function pageOf({ type, project, featureName, data, preData }: EventView): string {
  const { changeRequestId } = fieldsOf(data ?? preData);
  if (project === null) return type.startsWith("addon-") ? "/notifications" : "/events";
  const projectPath = `/projects/${encodeURIComponent(project)}`;
  if (typeof changeRequestId === "number")
    return `${projectPath}/change-requests/${changeRequestId}`;
  if (featureName === null) return type === "project-deleted" ? "/events" : projectPath;
  return type === "feature-deleted"
    ? `${projectPath}/archive`
    : `${projectPath}/flags/${encodeURIComponent(featureName)}`;
}

/** The names in a notification are those in the event, because nothing else is read for it. */
const STRATEGY_WORDS: StrategyWords = {
  audience: (state) => {
    const { rollout, percentage } = fieldsOf(fieldsOf(state)["parameters"]);
    const share = rollout ?? percentage;
    if (typeof share !== "string" && typeof share !== "number") return undefined;
    const [users, meet] =
      Number(share) >= 100 ? ["everyone", "meets"] : [`${share}% of users`, "meet"];
    const constraints = listAt(state, "constraints").length + listAt(state, "segments").length;
    if (constraints === 0) return users;
    return `${users} who ${meet} ${constraints === 1 ? "a constraint" : `${constraints} constraints`}`;
  },
  typeName: (name) => name,
};
