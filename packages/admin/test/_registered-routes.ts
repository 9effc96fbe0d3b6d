import type { FastifyInstance } from "fastify";
import type { RegisteredRoute } from "../../server-kit/test/_raw-request.ts";

/** Lists the routes of a running application, so that a test cannot forget a new one. */
export function listRegisteredRoutes(app: FastifyInstance): readonly RegisteredRoute[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", part = "", methods = ""] =
        /^(.*)[├└]── (\S+) \((.*)\)$/.exec(line) ?? [];
      if (part === "") return [];
      const depth = indent.length / 4;
      const path = (depth === 0 ? "" : (parents[depth - 1] ?? "")) + part;
      parents[depth] = path;
      // The wildcard of `/path/*` is printed as a part of the last name.
      const complete = path.replace(/(?<=[^/])\*$/, "/*");
      return methods.split(", ").map((method) => ({ method, path: complete }));
    });
}
