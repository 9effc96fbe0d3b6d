import type { NewEvent } from "../../storage/event.ts";
import { EVERYTHING, type TokenScope, type TokenView } from "./api-token.ts";

type TokenEventType = "api-token-created" | "api-token-deleted" | "api-token-updated";

/** What happened to a token. Neither its text nor its hash is part of that. */
export function tokenEvent(
  type: TokenEventType,
  { environment, projects }: TokenScope,
  states: { readonly before?: TokenView; readonly after?: TokenView },
): NewEvent {
  const [project = EVERYTHING, ...others] = projects;
  const hasOneProject = project !== EVERYTHING && others.length === 0;
  return {
    type,
    ...(environment !== EVERYTHING && { environment }),
    ...(hasOneProject && { project }),
    ...states,
  };
}
