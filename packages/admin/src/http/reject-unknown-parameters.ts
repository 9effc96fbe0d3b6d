import type { FastifyInstance, RouteOptions } from "fastify";
import { Type } from "typebox";

/** Makes the routes that are added afterwards reject query parameters that they do not describe. */
export function rejectUnknownParameters(app: FastifyInstance): void {
  app.addHook("onRoute", (route: RouteOptions) => {
    const described: object = route.schema?.querystring ?? Type.Object({});
    route.schema = { ...route.schema, querystring: { ...described, additionalProperties: false } };
  });
}
