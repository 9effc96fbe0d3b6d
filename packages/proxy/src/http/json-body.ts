import type { FastifyBodyParser, FastifyInstance, preValidationHookHandler } from "fastify";
import { notJson } from "../errors.ts";

/**
 * Parses request bodies as JSON, even if `Content-Type` is missing or empty; any other type is a 415.
 * An empty body is `undefined`, which routes treat like a missing one.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("ignore", "ignore");
  const parse: FastifyBodyParser<string> = (request, body, done) => {
    if (body === "") done(null, undefined);
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

/** Replaces a missing body with an empty object, for routes where every field is optional. */
export const allowNoBody: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= request.method === "POST" ? {} : undefined;
  done();
};
