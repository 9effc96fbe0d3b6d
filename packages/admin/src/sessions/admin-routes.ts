import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { ROLES, type Role } from "../access/role.ts";
import { operation } from "../access/operation.ts";
import { SessionUser } from "./routes.ts";
import type { Sessions } from "./sessions.ts";

const tag = "Sessions";

const Time = Type.String({ format: "date-time" });

const SessionListResponse = Type.Object(
  {
    sessions: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: "Identifies the session in paths. It is not a secret" }),
          user: SessionUser,
          role: Type.Unsafe<Role>({ type: "string", enum: ROLES }),
          createdAt: Time,
          lastSeenAt: Type.Union([Time, Type.Null()], {
            description: "When the session was last used, accurate to a minute",
          }),
          expiresAt: Time,
          address: Type.Union([Type.String(), Type.Null()], {
            description:
              "The address that has signed in; null if the session is older than accounts",
          }),
          userAgent: Type.Union([Type.String(), Type.Null()], {
            description: "The browser that has signed in, as it describes itself",
          }),
          current: Type.Boolean({ description: "Whether the request was sent with this session" }),
        },
        { title: "listedSessionSchema" },
      ),
    ),
  },
  { title: "sessionsSchema" },
);

/** Lists and ends the sessions of all users. */
export function registerAdminSessions(app: TypedApp, sessions: Sessions): void {
  app.get(
    "/sessions",
    operation({
      id: "getSessions",
      role: "admin",
      tag,
      summary: "Lists the sessions of all users, newest first",
      returns: SessionListResponse,
    }),
    async (request) => {
      const { sessionHash } = callerOf(request);
      const listed = await sessions.list();
      return { sessions: listed.map((view) => ({ ...view, current: view.id === sessionHash })) };
    },
  );

  app.delete(
    "/sessions/:id",
    operation({
      id: "endSession",
      role: "admin",
      tag,
      summary: "Ends a session and its streams, on all replicas at once",
      empty: 200,
      alsoFailsWith: [404],
      params: Type.Object({ id: Type.String() }),
    }),
    async (request, reply) => {
      await sessions.endById(actorOf(request), request.params.id);
      return reply.send();
    },
  );
}
