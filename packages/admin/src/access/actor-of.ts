import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Actor } from "../storage/event.ts";

const ACTOR = Symbol("actor");

/** Prepares requests to carry their author. */
export function decorateActor(app: FastifyInstance): void {
  app.decorateRequest(ACTOR, null);
}

export function setActor(request: FastifyRequest, actor: Actor): void {
  Object.assign(request, { [ACTOR]: actor });
}

/** Who sends the request; authentication has seen to it that there is somebody. */
export function actorOf(request: FastifyRequest): Actor {
  const { [ACTOR]: actor } = request as { [ACTOR]?: Actor | null };
  if (!actor) throw new TypeError("No authentication comes before this route");
  return actor;
}
