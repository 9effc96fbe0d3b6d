import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Reads JSON bodies, and no others. A request that announces no body has none, whatever its
 * `Content-Type` says: many clients set one on every request.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([\w.-]+\+)?json\b/i,
    { parseAs: "string" },
    (request, body, done) => {
      if (body.length === 0) done(null, undefined);
      else void parseJson(request, body.toString(), done);
    },
  );
  app.addHook("onRequest", (request, _reply, done) => {
    if (!announcesBody(request)) delete request.headers["content-type"];
    done();
  });
}

function announcesBody({ headers }: FastifyRequest): boolean {
  if (headers["transfer-encoding"] !== undefined) return true;
  return (headers["content-length"] ?? "0") !== "0";
}
