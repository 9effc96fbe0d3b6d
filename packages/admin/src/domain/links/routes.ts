import { operation } from "../../access/operation.ts";
import { actorOf } from "../../access/request-identity.ts";
import type { TypedApp } from "../../http/typed-app.ts";
import type { Storage } from "../../storage/storage.ts";
import { FeatureParams, toFeatureAddress } from "../schemas.ts";
import { LinkBody, LinkParams } from "./schemas.ts";
import { addLink, removeLink, updateLink } from "./store.ts";

const LIST = "/projects/:projectId/features/:feature/link";
const common = { role: "editor", tag: "Features", empty: 204, alsoFailsWith: [404] } as const;

/** Routes for the links of flags. `GET` of a flag lists them. */
export function registerLinks(app: TypedApp, storage: Storage): void {
  app.post(
    LIST,
    operation({
      id: "addFeatureLink",
      summary: "Adds a link to a flag, of which a flag has up to 10",
      ...common,
      params: FeatureParams,
      body: LinkBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        addLink(transaction, toFeatureAddress(request.params), request.body),
      );
      return reply.code(204).send();
    },
  );

  app.put(
    `${LIST}/:linkId`,
    operation({
      id: "updateFeatureLink",
      summary: "Replaces a link of a flag",
      ...common,
      params: LinkParams,
      body: LinkBody,
    }),
    async (request, reply) => {
      const { linkId: link, ...params } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        updateLink(transaction, { ...toFeatureAddress(params), link }, request.body),
      );
      return reply.code(204).send();
    },
  );

  app.delete(
    `${LIST}/:linkId`,
    operation({
      id: "deleteFeatureLink",
      summary: "Removes a link from a flag",
      ...common,
      params: LinkParams,
    }),
    async (request, reply) => {
      const { linkId: link, ...params } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeLink(transaction, { ...toFeatureAddress(params), link }),
      );
      return reply.code(204).send();
    },
  );
}
