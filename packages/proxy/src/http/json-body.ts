import type { FastifyInstance } from "fastify";
import { notJson } from "../errors.ts";

/** Bodies are JSON: one that does not say what it is is taken for JSON, any other type is a 415. */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("ignore", "ignore");
  app.removeContentTypeParser("text/plain");
  app.addContentTypeParser("*", { parseAs: "string" }, (request, body, done) => {
    if (request.headers["content-type"] === undefined) {
      // Answers through `done`; what it returns is for parsers that do not take one.
      void parseJson(request, String(body), done);
    } else {
      done(notJson());
    }
  });
}
