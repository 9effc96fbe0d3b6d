import type { FastifyBodyParser, FastifyInstance } from "fastify";
import { checkNesting, runToEnd } from "flags-engine";
import { toErrorMessage } from "flags-server-kit";
import { OPTIONAL_BODY } from "flags-server-kit/http";
import { HttpError, notJson } from "../errors.ts";

/** Lists and objects in a body. A usage report of the maximum size has fewer than half of this. */
const MAX_PARTS = 50_000;

/**
 * Parses request bodies as JSON, even if `Content-Type` is missing or empty; any other type is a 415.
 * An empty body is `undefined`, which routes treat like a missing one.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("ignore", "ignore");
  const parse: FastifyBodyParser<string> = (request, body, done) => {
    if (body === "") {
      done(null, undefined);
      return;
    }
    const problem = findCostly(body);
    if (problem !== undefined) done(problem);
    // Its result is passed to `done`; it returns a promise only for parsers without a callback.
    else void parseJson(request, body, done);
  };
  // The framework rejects an empty type before it chooses a parser.
  app.addHook("onRequest", (request, _reply, done) => {
    if (request.headers["content-type"]?.trim() === "") delete request.headers["content-type"];
    done();
  });
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser("application/json", { parseAs: "string" }, parse);
  app.addContentTypeParser<string>("*", { parseAs: "string" }, (request, body, done) => {
    if (request.headers["content-type"] === undefined) parse(request, body, done);
    else done(notJson());
  });
}

/** Finds a body of many lists or objects, which take up to 60 times the memory of their text. */
function findCostly(body: string): HttpError | undefined {
  try {
    runToEnd(checkNesting(body, MAX_PARTS));
    return undefined;
  } catch (cause) {
    return new HttpError(400, toErrorMessage(cause), { cause });
  }
}

/** Makes the app accept requests without a body where every field is optional. Call it before adding routes. */
export function allowNoBody(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { required = [] } = (route.schema?.body ?? {}) as { readonly required?: unknown[] };
    if (required.length === 0) route.schema = { ...route.schema, ...OPTIONAL_BODY };
  });
  app.addHook("preValidation", (request, _reply, done) => {
    request.body ??= request.method === "POST" ? {} : undefined;
    done();
  });
}
