import { acceptContext, allowsExplanations, type Grant } from "../access/grant.ts";
import { prepareContext } from "../context/request-context.ts";
import { readContext } from "../context/sent-context.ts";
import { type HttpError, notAllowed, notEnabled, notReady, unavailable } from "../http/errors.ts";
import type { RouteOptions } from "../routes/protocol.ts";
import { jsonReply } from "../http/reply.ts";
import { FOR_CLIENTS, type Route } from "../routing/route.ts";
import { errorResponses } from "../routes/schemas.ts";
import { explainFlags } from "./explain-flags.ts";
import { ExplainBody, Explanations } from "./schemas.ts";

/** More requests at the same time get a 503: an explanation takes a thousand times as long as an evaluation. */
const MAX_RUNNING = 4;

/** The route that says why flags are on or off. Explanations contain strategies, so it needs a permission. */
export function explainRoutes({ allow, config, protocol }: RouteOptions): readonly Route[] {
  let running = 0;
  return [
    {
      method: "POST",
      path: "/explain",
      summary: "Explains why flags are on or off for a context",
      description:
        "The results are those of a request for flags with the same context. Requires `ENABLE_EXPLAIN=true`, and a server token or a key with `explain` in the access file",
      tags: ["Evaluation"],
      security: [{ serverToken: [] }],
      responses: { 200: Explanations, ...errorResponses(400, 401, 403, 413, 415, 501, 503) },
      audience: { ...FOR_CLIENTS, hasCors: false },
      authenticate: allow("client", "server"),
      check: (grant) => checkExplanations(grant, config.explainEnabled),
      body: { schema: ExplainBody },
      handle: async (call) => {
        const { grant, request } = call;
        const { context: received, flags: names } = call.parse(ExplainBody);
        const { sent } = await acceptContext(grant, readContext(received ?? {}), request);
        const { snapshot } = grant.flags;
        if (snapshot === undefined) throw notReady();
        const context = await prepareContext({ request, sent, snapshot }, protocol.contextRules);
        if (running >= MAX_RUNNING) {
          throw unavailable("Too many explanations are being created at the moment: try again");
        }
        running += 1;
        try {
          return jsonReply({ flags: await explainFlags(snapshot, names, context) });
        } finally {
          running -= 1;
        }
      },
    },
  ];
}

function checkExplanations(grant: Grant, isEnabled: boolean): HttpError | undefined {
  if (!isEnabled)
    return notEnabled("This endpoint", "set `enableExplain` (ENABLE_EXPLAIN) to true");
  return allowsExplanations(grant) ? undefined : notAllowed("request explanations", "explain");
}
